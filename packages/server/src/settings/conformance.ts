import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Destination } from '../core/destination.ts';
import type { Source } from '../core/source.ts';
import type { SettingsStore, StoredDestination } from './contract.ts';

/** An implementation with an empty store, as its tests open it. */
export interface SettingsWorld {
  /** The settings. `reopen` and `crash` replace this object. */
  readonly settings: SettingsStore;
  /** Closes the store in good order and opens it again. */
  reopen(): Promise<void>;
  /** Ends as a killed process would, and opens what is left. Absent if a crash can't be made. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

export const SHOP: Source = {
  id: 'src_1',
  name: 'Web shop “Ünï” \u0000',
  type: 'web',
  writeKey: 'key-1',
  enabled: true,
  createdAt: '2026-11-21T00:00:00.000Z',
  oldKey: { writeKey: 'key-0', until: '2026-11-22T00:00:00.000Z' },
};

export const CRM: Destination = {
  id: 'dst_1',
  name: 'CRM',
  type: 'Webhooks',
  sourceIds: ['src_1', 'src_2'],
  enabled: false,
  webhooks: [{ id: 'url_1', url: 'https://example.com/hook?a=1', headers: { 'X-Team': 'growth: "a"' } }],
  sharedSecret: 'secret\n’',
  trackFilter: { mode: 'deny', events: ['A', 'a'] },
  maxEventAgeHours: 720,
  createdAt: '2026-11-21T00:00:00.000Z',
  updatedAt: '2026-11-21T01:00:00.000Z',
};

/** The tests of what every `SettingsStore` promises (settings/contract.ts). */
export function settingsConformance(name: string, open: () => Promise<SettingsWorld>): void {
  describe(`${name} keeps the settings' contract`, () => {
    let world: SettingsWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test('holds nothing at first', async () => {
      expect(await world.settings.load()).toEqual({ sources: [], destinations: [] });
    });

    test('gives back what was put, every field of it', async () => {
      const bare: Destination = {
        ...CRM,
        id: 'dst_2',
        sharedSecret: null,
        trackFilter: null,
        maxEventAgeHours: null,
        sourceIds: [],
      };
      await world.settings.putSource(SHOP);
      await world.settings.putDestination(CRM);
      await world.settings.putDestination(bare);
      const { sources, destinations } = await world.settings.load();
      expect(sources).toEqual([SHOP]);
      expect(destinations.toSorted(byId)).toEqual([CRM, bare]);
    });

    test('of several changes of one revision one is made, and of a revision that is gone none', async () => {
      const { settings } = world;
      const source = (revision: number, name = ''): Promise<boolean> => settings.putSource({ ...SHOP, revision, name });
      const destination = (revision: number, name = ''): Promise<boolean> =>
        settings.putDestination({ ...CRM, revision, name });
      const ways = [
        { put: source, remove: (revision?: number) => settings.deleteSource(SHOP.id, revision) },
        { put: destination, remove: (revision?: number) => settings.deleteDestination(CRM.id, revision) },
      ];
      for (const { put, remove } of ways) {
        expect([await put(2), await put(1), await put(1)]).toEqual([false, true, false]);
        const made = await Promise.all(['a', 'b', 'c', 'd'].map((name) => put(2, name)));
        expect(made.filter(Boolean)).toHaveLength(1);
        const { sources, destinations } = await settings.load();
        const kept = [...sources, ...destinations].map(({ name, revision }) => ({ name, revision }));
        expect(kept).toEqual([{ name: 'abcd'[made.indexOf(true)], revision: 2 }]);
        expect([await remove(1), await put(3)]).toEqual([false, true]);
        const removed = await Promise.all([remove(3), remove(3), remove(3)]);
        expect(removed.filter(Boolean)).toHaveLength(1);
        expect([await put(4), await remove(3), await remove()]).toEqual([false, false, false]);
      }
    });

    test('replaces what has the same id', async () => {
      await world.settings.putSource(SHOP);
      await world.settings.putSource({ ...SHOP, enabled: false, writeKey: 'key-2', revision: 2 });
      await world.settings.putDestination(CRM);
      await world.settings.putDestination({ ...CRM, sourceIds: ['src_2'], revision: 2 });
      const { sources, destinations } = await world.settings.load();
      expect(sources).toEqual([{ ...SHOP, enabled: false, writeKey: 'key-2', revision: 2 }]);
      expect(destinations).toEqual([{ ...CRM, sourceIds: ['src_2'], revision: 2 }]);
    });

    test('deletes what is there, and takes no offence at what is not', async () => {
      await world.settings.putSource(SHOP);
      await world.settings.putDestination(CRM);
      await world.settings.deleteSource(SHOP.id);
      await world.settings.deleteSource('src_unknown');
      await world.settings.deleteDestination('dst_unknown');
      expect(await world.settings.load()).toEqual({ sources: [], destinations: [CRM] });
      await world.settings.deleteDestination(CRM.id);
      expect(await world.settings.load()).toEqual({ sources: [], destinations: [] });
    });

    test('has made each change durable when its promise resolves', async () => {
      await world.settings.putSource(SHOP);
      await world.settings.putDestination(CRM);
      await world.reopen();
      expect(await world.settings.load()).toEqual({ sources: [SHOP], destinations: [CRM] });
      await world.settings.deleteDestination(CRM.id);
      await world.crash?.();
      expect(await world.settings.load()).toEqual({ sources: [SHOP], destinations: [] });
    });
  });
}

function byId(a: StoredDestination, b: StoredDestination): number {
  return a.id < b.id ? -1 : 1;
}
