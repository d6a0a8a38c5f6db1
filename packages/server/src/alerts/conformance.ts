import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noticeOf } from './announce.ts';
import { type AlertSettings, type AlertStore, type Incident, NO_ALERT_SETTINGS } from './contract.ts';

/** An implementation with an empty store, as its tests open it. */
export interface AlertWorld {
  /** The alerts. `reopen` replaces this object. */
  readonly alerts: AlertStore;
  reopen(): Promise<void>;
  close(): Promise<void>;
}

const NUMBERS = { value: 1, threshold: 1, waiting: 2, oldestWaitingAt: 3, failed: 4 };

/** An open incident of a destination. */
export function incident(more: Partial<Incident> = {}): Incident {
  return {
    ...{ id: 'inc_1', rule: 'no_success', also: ['waiting'], cause: '"state":"ended" \0 \ud800', state: 'open' },
    ...{ subject: { kind: 'destination', id: 'dst_1', name: 'CRM' }, since: 1, endedAt: null, numbers: NUMBERS },
    ...{ sample: null, updates: [], recovery: null, reopened: 0, worst: 'no_success' },
    ...{ low: { at: 1, processed: 0 }, drained: null, clearSince: null, toldAt: 1 },
    ...more,
  };
}

/** The tests of what every `AlertStore` promises (contract.ts). */
export function alertConformance(name: string, open: () => Promise<AlertWorld>): void {
  describe(`${name} keeps the contract of alerts`, () => {
    let world: AlertWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test('keeps settings, and of two that change the same revision takes one', async () => {
      expect(await world.alerts.settings()).toBeNull();
      const address = { id: 'adr_1', kind: 'slack', url: 'https://hooks.example/T/B' } as const;
      const next = (revision: number, rules = {}): AlertSettings => ({ ...NO_ALERT_SETTINGS, revision, rules });
      const first = { ...next(2), addresses: [address] };
      const saved = await Promise.all([world.alerts.saveSettings(first), world.alerts.saveSettings(first)]);
      expect(saved.toSorted()).toEqual([false, true]);
      expect(await world.alerts.saveSettings(next(2))).toBe(false);
      expect(await world.alerts.saveSettings(next(4))).toBe(false);
      await world.reopen();
      expect(await world.alerts.settings()).toEqual(first);
      expect(await world.alerts.saveSettings(next(3, { waiting: { above: 5 } }))).toBe(true);
      expect(await world.alerts.settings()).toEqual(next(3, { waiting: { above: 5 } }));
    });

    test('keeps incidents with their notices, and finds them by their state', async () => {
      const ended = incident({ id: 'inc_2', state: 'ended', endedAt: 5, recovery: 'Recovered.' });
      const notice = noticeOf('opened', [incident()], 'adr_1', 7);
      await world.alerts.save([incident(), ended], [notice, noticeOf('ended', [ended], 'adr_1', 6)]);
      await world.reopen();
      expect(await world.alerts.incidents('open')).toEqual([incident()]);
      expect(await world.alerts.incidents('ended')).toEqual([ended]);
      expect((await world.alerts.incidents()).map(({ id }) => id).toSorted()).toEqual(['inc_1', 'inc_2']);
      expect(await world.alerts.incident('inc_2')).toEqual(ended);
      expect(await world.alerts.incident('inc_3')).toBeUndefined();
      expect((await world.alerts.notices()).map(({ type }) => type)).toEqual(['ended', 'opened']);

      const later = { ...notice, rounds: 1, firstAt: 7, dueAt: 12 };
      await world.alerts.saveNotice(later);
      expect((await world.alerts.notices())[1]).toEqual(later);
      await world.alerts.removeNotices([notice.id]);
      // The notice was removed after it was sent: a later save by another process does not bring it back.
      await world.alerts.saveNotice(later);
      expect(await world.alerts.notices()).toHaveLength(1);
      // A save in another state replaces the incident.
      await world.alerts.save([{ ...incident(), state: 'ended' }], []);
      expect(await world.alerts.incidents('open')).toEqual([]);
      await world.alerts.save([incident()], []);
      expect(await world.alerts.incidents()).toHaveLength(2);
    });

    test('saves in a turn until another begins', async () => {
      const { alerts } = world;
      await alerts.begin('first');
      expect(await alerts.save([incident()], [noticeOf('opened', [incident()], 'adr_1', 7)], 'first')).toBe(true);
      await alerts.begin('second');
      const late = incident({ cause: 'Late.' });
      const begun = incident({ id: 'inc_2' });
      const ended = incident({ state: 'ended' });
      for (const which of [[late], [begun], [ended]])
        expect(await alerts.save(which, [noticeOf('opened', which, 'adr_1', 8)], 'first')).toBe(false);
      expect(await alerts.incidents()).toEqual([incident()]);
      expect(await alerts.notices()).toHaveLength(1);
      expect(await alerts.save([late], [], 'second')).toBe(true);
      expect(await alerts.incidents()).toEqual([late]);
    });

    test('snoozes beside what evaluates, until that is ended or the incident is forgotten', async () => {
      await world.alerts.save([incident(), incident({ id: 'inc_2' })], []);
      await world.alerts.snooze('inc_1', 100);
      await world.alerts.snooze('inc_1', 200);
      await world.alerts.snooze('inc_2', 300);
      await world.alerts.save([incident({ cause: 'Another.' })], []);
      await world.reopen();
      expect([...(await world.alerts.snoozes())].toSorted()).toEqual([
        ['inc_1', 200],
        ['inc_2', 300],
      ]);
      await world.alerts.snooze('inc_1', null);
      await world.alerts.forget(['inc_2']);
      expect(await world.alerts.snoozes()).toEqual(new Map());
      expect((await world.alerts.incidents()).map(({ id }) => id)).toEqual(['inc_1']);
    });
  });
}
