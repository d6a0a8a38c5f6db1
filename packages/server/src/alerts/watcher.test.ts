import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../../test/system/kit/eventually.ts';
import type { Destination } from '../core/destination.ts';
import type { Service } from '../core/service.ts';
import type { Source } from '../core/source.ts';
import type { Tally } from '../core/tally.ts';
import { Trouble } from '../core/trouble.ts';
import type { StatsAddition } from '../record/contract.ts';
import { openWorld, type SqliteWorld } from '../stores/sqlite/test-world.ts';
import { type AlertStore, NO_ALERT_SETTINGS, type Notice } from './contract.ts';
import { Observer } from './observing.ts';
import { createWatcher } from './watcher.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const CRM: Destination = {
  ...{ id: 'dst_1', name: 'CRM', type: 'Webhooks', sourceIds: [], enabled: true, sharedSecret: null },
  webhooks: [{ id: 'url_1', url: 'https://example.com/hook', headers: {} }],
  ...{ trackFilter: null, maxEventAgeHours: null, createdAt: '2026-11-20T00:00:00.000Z', updatedAt: null },
};

const SHOP: Source = {
  ...{ id: 'src_1', name: 'Shop', type: 'server', writeKey: 'k1', enabled: true, oldKey: null },
  createdAt: '2026-11-20T00:00:00.000Z',
  alerts: { source_silent: { enabled: true, after: '10m' } },
};

const NOTHING_COUNTED = { accepted: 0, rejected: 0, processed: 0, failed: 0, filtered: 0, retried: 0 };

interface Case {
  readonly world: SqliteWorld;
  readonly notices: Notice[];
  /** Attempts of now, that failed or succeeded. */
  attempted(end: '503' | 'ok', count?: number): Promise<void>;
  /** Rounds of now, with the attempts they were made of. */
  rounds(sums: Partial<StatsAddition>, ends: Readonly<Record<string, number>>): Promise<void>;
  /** Calls of the source of now. */
  called(sums: { readonly accepted?: number; readonly rejected?: number }): Promise<void>;
  /** The destination, from now on. */
  readonly set: (more: Partial<Destination>) => void;
  /** Whether the reserve of the disk is in use, from now on. */
  readonly setDisk: (isShort: boolean) => void;
  watcher(): Service;
  /** Looks once, as a process that has just been started. */
  look(): Promise<void>;
  observer(): Observer;
}

async function begin(certificates: { url: string; endsAt: number | null }[] = []): Promise<Case> {
  const world = await openWorld();
  onTestFinished(() => world.close());
  const { clock } = world;
  const address = { id: 'adr_1', kind: 'email', to: 'a@example.com' } as const;
  await world.alerts.saveSettings({ ...NO_ALERT_SETTINGS, revision: 2, addresses: [address] });
  const notices: Notice[] = [];
  let destination = CRM;
  let isDiskShort = false;
  const observer = () =>
    new Observer({
      ...{ destinations: () => [destination], sources: () => [SHOP], stats: world.stats, deliveries: world.deliveries },
      ...{ certificates: () => certificates, isDiskShort: () => isDiskShort },
    });
  const store: AlertStore = {
    ...world.alerts,
    async save(incidents, some, turn) {
      const isSaved = await world.alerts.save(incidents, some, turn);
      if (isSaved) notices.push(...some);
      return isSaved;
    },
  };
  const watcher = () =>
    createWatcher({
      ...{ store, observer: observer(), clock, flush: async () => undefined, written: () => undefined },
      trouble: new Trouble('incidents could not be looked for', (error) => {
        throw error;
      }),
    });
  async function rounds(sums: Partial<StatsAddition>, ends: Readonly<Record<string, number>>): Promise<void> {
    const now = clock.now();
    const attempts = new Map(Object.entries(ends).map(([end, count]): [string, Tally] => [end, [count, now, now]]));
    const times = { at: now - (now % MINUTE), lastAt: sums.processed ? now : null, triedAt: now };
    await world.stats.add([
      { ...NOTHING_COUNTED, subject: CRM.id, ...times, latency: new Uint32Array(), attempts, ...sums },
    ]);
  }
  return {
    world,
    notices,
    observer,
    set: (more) => {
      destination = { ...destination, ...more };
    },
    setDisk: (isShort) => {
      isDiskShort = isShort;
    },
    async called(sums) {
      const now = clock.now();
      const lastAt = sums.accepted === undefined ? null : now;
      const times = { at: now - (now % MINUTE), lastAt, triedAt: null };
      await world.stats.add([
        { ...NOTHING_COUNTED, subject: SHOP.id, ...times, latency: new Uint32Array(), attempts: new Map(), ...sums },
      ]);
    },
    attempted: (end, count = 1) => rounds(end === 'ok' ? { processed: count } : {}, { [`${end} url_1`]: count }),
    rounds,
    watcher,
    async look() {
      const one = watcher();
      await one.start();
      clock.advance(0);
      await one.stop();
    },
  };
}

test('five minutes without a success are an incident, which each process goes on with', async () => {
  const { world, notices, attempted, look } = await begin();
  const { clock, alerts } = world;
  await attempted('ok');
  // A failure before the last success is none of this outage.
  clock.advance(MINUTE);
  await attempted('503');
  await attempted('ok');
  clock.advance(10 * MINUTE);
  const since = clock.now();
  await attempted('503');
  clock.advance(5 * MINUTE - 1);
  await attempted('503');
  await look();
  expect(await alerts.incidents()).toEqual([]);
  clock.advance(1);
  await attempted('503');
  await look();
  const [incident] = await alerts.incidents('open');
  expect(incident).toMatchObject({ rule: 'no_success', since, numbers: { value: 5 * MINUTE, failed: 4 } });
  // Written together with the incident.
  expect(await alerts.notices()).toEqual(notices);
  expect(notices).toMatchObject([{ type: 'opened', incidents: [{ id: incident?.id }] }]);
  clock.advance(10_000);
  await look();
  expect(notices).toHaveLength(1);

  await attempted('ok');
  await look();
  clock.advance(2 * MINUTE);
  await look();
  expect(await alerts.incidents('ended')).toMatchObject([{ id: incident?.id, recovery: expect.any(String) }]);
  expect(notices.map(({ type }) => type)).toEqual(['opened', 'ended']);
});

test('a certificate that ends is known by the connections', async () => {
  const certificates = [
    { url: 'https://later.example.com/', endsAt: null },
    { url: 'https://soon.example.com:8443/', endsAt: 1_800_000_000_000 + 20 * 86_400_000 },
  ];
  const { world, look, set } = await begin(certificates);
  set({ webhooks: certificates.map(({ url }) => ({ id: url, url, headers: {} })) });
  await look();
  expect(await world.alerts.incidents()).toEqual([]);
  world.clock.advance(7 * 86_400_000);
  await look();
  expect(await world.alerts.incidents('open')).toMatchObject([
    { rule: 'certificate', cause: 'The certificate of soon.example.com:8443 ends in 13 days.' },
  ]);
});

test('a process that leads no more, and does not know yet, opens no incident again', async () => {
  const { world, notices, attempted, look, watcher } = await begin();
  const { clock, alerts } = world;
  const looked = () => eventually(() => clock.pending, Boolean);
  const late = watcher();
  onTestFinished(() => late.stop());
  await late.start();
  clock.advance(0);
  await looked();
  await attempted('503', 20);
  await look();
  const open = await alerts.incidents('open');
  expect([open.length, notices.length]).toEqual([1, 1]);
  clock.advance(10_000);
  await looked();
  expect(await alerts.incidents()).toEqual(open);
  expect(await alerts.notices()).toEqual(notices);
});

test('of incidents that ended a thousand are kept, for 400 days', async () => {
  const { world, attempted, look } = await begin();
  const { clock, alerts } = world;
  await attempted('503', 20);
  await look();
  const [incident] = await alerts.incidents('open');
  if (!incident) throw new Error('no incident');
  const ended = (i: number) => {
    const endedAt = clock.now() - i * MINUTE;
    return { ...incident, id: `inc_${i}`, state: 'ended' as const, endedAt, recovery: 'Recovered.' };
  };
  await alerts.save(
    Array.from({ length: 1_100 }, (_, i) => ended(i + 20)),
    [],
  );
  await alerts.snooze('inc_1119', clock.now());
  await look();
  const kept = (await alerts.incidents('ended')).map(({ id }) => id);
  expect([kept.length, kept.includes('inc_20'), kept.includes('inc_1119')]).toEqual([1_000, true, false]);
  expect(await alerts.snoozes()).toEqual(new Map());
  clock.advance(400 * 86_400_000);
  await look();
  expect(await alerts.incidents('ended')).toEqual([]);
});

test('a destination that is paused stands still on purpose', async () => {
  const { world, attempted, set, look } = await begin();
  await attempted('503', 20);
  await look();
  expect(await world.alerts.incidents('open')).toHaveLength(1);
  set({ hold: { since: '2026-11-20T00:00:00.000Z', past: [] } });
  await look();
  expect(await world.alerts.incidents()).toMatchObject([{ state: 'ended', recovery: expect.stringMatching(/paused/) }]);
  set({ hold: { since: null, past: [] } });
  await look();
  expect(await world.alerts.incidents()).toMatchObject([{ state: 'open', reopened: 1 }]);
});

test('a long time of a rule is read by long steps, and nothing of it is left out', async () => {
  const { world, attempted } = await begin();
  const { clock, stats } = world;
  const read: [from: number, to: number][] = [];
  const { series, last } = stats;
  const totals: typeof stats.totals = (subjects, from, to) => {
    read.push([from, to]);
    return stats.totals(subjects, from, to);
  };
  const sights = { destinations: () => [{ ...CRM, alerts: { success_share: { over: '7d' } } }], sources: () => [] };
  const seen = new Observer({
    ...{ ...sights, stats: { series, last, totals }, deliveries: world.deliveries },
    ...{ certificates: () => [], isDiskShort: () => false },
  });
  await attempted('503', 7);
  clock.advance(7 * 24 * HOUR);
  await attempted('ok', 3);
  const [crm] = await seen.observe(NO_ALERT_SETTINGS, clock.now());
  expect(crm).toMatchObject({ tried: { good: 3, bad: 7 } });
  const long = read.filter(([from, to]) => to - from > 24 * HOUR);
  expect(long.map((range) => range.map((time) => time % (2 * HOUR)))).toEqual([[0, 0]]);
});

test('where all URLs have to take a message, one that refuses everything is an outage', async () => {
  const { world, rounds, set, look, observer } = await begin();
  const { clock, alerts } = world;
  set({ success: 'all' });
  await rounds({ processed: 20 }, { 'ok url_1': 20, 'ok url_2': 20 });
  clock.advance(MINUTE);
  const since = clock.now();
  // More than half of the attempts succeed, and no message is taken.
  for (let n = 0; n < 20; n++) {
    await rounds({ failed: 1 }, { 'ok url_1': 1, '410 url_2': 1 });
    await look();
    if (n < 19) clock.advance(16_000);
  }
  expect(await alerts.incidents('open')).toMatchObject([{ rule: 'no_success', numbers: { failed: 20 } }]);
  const [crm] = await observer().observe(NO_ALERT_SETTINGS, clock.now());
  expect(crm).toMatchObject({ failingSince: since, tried: { good: 20, bad: 20 }, lately: { good: 0 } });

  // Messages wait for a URL that stands still: requests tell how it goes.
  const paused = { since: '2026-11-20T00:00:00.000Z', past: [] };
  set({ webhooks: [...CRM.webhooks, { id: 'url_2', url: 'https://two.test/', headers: {}, hold: paused }] });
  await rounds({ retried: 60 }, { 'ok url_1': 60 });
  const [held] = await observer().observe(NO_ALERT_SETTINGS, clock.now());
  expect(held).toMatchObject({ failingSince: null, tried: { good: 120, bad: 20 } });

  set(CRM);
  set({ success: 'all' });
  await rounds({ processed: 1 }, { 'ok url_1': 1, 'ok url_2': 1 });
  expect((await observer().observe(NO_ALERT_SETTINGS, clock.now()))[0]).toMatchObject({ failingSince: null });
});

test('where all URLs have to take a message, a delivery between two looks ends the outage', async () => {
  const { world, rounds, set, observer } = await begin();
  const { clock } = world;
  set({ success: 'all' });
  const seen = observer();
  const failingSince = async (): Promise<unknown> =>
    (await seen.observe(NO_ALERT_SETTINGS, clock.now()))[0]?.failingSince;
  await rounds({ failed: 1 }, { 'ok url_1': 1, '410 url_2': 1 });
  const since = clock.now();
  expect(await failingSince()).toBe(since);
  clock.advance(6 * MINUTE);
  await rounds({ failed: 1 }, { 'ok url_1': 1, '410 url_2': 1 });
  expect(await failingSince()).toBe(since);
  clock.advance(1_000);
  await rounds({ processed: 1 }, { 'ok url_1': 1, 'ok url_2': 1 });
  clock.advance(10 * MINUTE);
  expect(await failingSince()).toBeNull();
});

test('what is set of one destination goes before that of all', async () => {
  const { world, attempted, set, look } = await begin();
  set({ alerts: { success_share: { atLeast: 3 } } });
  await attempted('503', 3);
  await look();
  expect(await world.alerts.incidents('open')).toMatchObject([{ rule: 'success_share' }]);
  const off = { enabled: false };
  set({ alerts: { no_success: off, success_share: off, oldest_waiting: off, waiting: off } });
  await look();
  expect(await world.alerts.incidents()).toMatchObject([
    { state: 'ended', recovery: expect.stringMatching(/switched off/) },
  ]);
});

test('a source that fell silent, by a rule of its own, until events come again', async () => {
  const { world, called, look } = await begin();
  await called({ accepted: 5 });
  world.clock.advance(10 * MINUTE);
  await look();
  expect(await world.alerts.incidents()).toEqual([]);
  world.clock.advance(1);
  await look();
  expect(await world.alerts.incidents('open')).toMatchObject([
    { rule: 'source_silent', subject: { kind: 'source', id: SHOP.id }, cause: 'No event came for 10 min.' },
  ]);
  await called({ accepted: 1 });
  await look();
  world.clock.advance(2 * MINUTE);
  await look();
  expect(await world.alerts.incidents()).toMatchObject([{ state: 'ended', recovery: 'Recovered: events come again.' }]);
});

test('a source whose calls are refused', async () => {
  const { world, called, look } = await begin();
  await called({ accepted: 20, rejected: 20 });
  await look();
  expect(await world.alerts.incidents()).toEqual([]);
  await called({ rejected: 1 });
  await look();
  expect(await world.alerts.incidents('open')).toMatchObject([
    { rule: 'source_refused', subject: { kind: 'source', id: SHOP.id }, numbers: { value: 21 / 41, failed: 21 } },
  ]);
});

test('a disk whose reserve is in use', async () => {
  const { world, setDisk, look } = await begin();
  setDisk(true);
  await look();
  expect(await world.alerts.incidents('open')).toMatchObject([{ rule: 'disk_reserve', subject: { kind: 'service' } }]);
  setDisk(false);
  await look();
  world.clock.advance(2 * MINUTE);
  await look();
  expect(await world.alerts.incidents()).toMatchObject([
    { state: 'ended', recovery: 'Recovered: the disk has room again.' },
  ]);
});

test('what fails beside what succeeds is no outage', async () => {
  const { world, attempted, observer } = await begin();
  const { clock } = world;
  const one = observer();
  for (let n = 0; n < 60; n++) {
    await attempted('ok', 8);
    clock.advance(5_000);
    const since = clock.now();
    await attempted('503', 2);
    clock.advance(5_000);
    const [crm] = await one.observe(NO_ALERT_SETTINGS, clock.now());
    expect(since - Number(crm?.failingSince)).toBeLessThanOrEqual(5_000);
  }
});

test('each look saves the numbers of an open incident', async () => {
  const { world, attempted, watcher } = await begin();
  const { clock, alerts } = world;
  const one = watcher();
  for (const failed of [20, 40, 60]) {
    await attempted('503', 20);
    if (failed === 20) await one.start();
    clock.advance(failed === 20 ? 0 : 10_000);
    await eventually(() => clock.pending, Boolean);
    expect(await alerts.incidents('open')).toMatchObject([{ numbers: { failed } }]);
  }
  await one.stop();
});

test('an open incident is saved at the next look after its rules have ceased to hold', async () => {
  const { world, setDisk, watcher } = await begin();
  const { clock, alerts } = world;
  const clearSince = async (look: number): Promise<number | null | undefined> => {
    clock.advance(look);
    await eventually(() => clock.pending, Boolean);
    return (await alerts.incidents('open'))[0]?.clearSince;
  };
  setDisk(true);
  const one = watcher();
  await one.start();
  expect(await clearSince(0)).toBe(null);
  setDisk(false);
  expect(await clearSince(10_000)).toBe(clock.now());
  await one.stop();
});
