import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProfileWorld } from './conformance.ts';
import type { Decision, Definition } from './contract.ts';

const NOW = 1_800_000_000_000;

const trait: Definition = {
  ...{
    id: 'trt_1',
    what: { trait: { compute: { count: true }, event: { name: 'Order' } } },
    name: 'Orders',
    key: 'orders',
  },
  ...{ sourceId: 'src_1', createdAt: NOW, updatedAt: NOW, job: null, size: 0, sentAt: null },
};

/** What every `ProfileStore` promises of lists that are read page by page (people/contract.ts), as tests. */
export function pagesConformance(name: string, open: () => Promise<ProfileWorld>): void {
  describe(`${name} reads members and events by page`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
      await world.store.transaction(async (writer) => {
        const ids = await writer.newPersons(4);
        await writer.putPersons(ids.map((id) => ({ person: id, userId: `u${id}` })));
        await writer.putDefinition(trait);
      });
    });
    afterEach(() => world.close());

    test('lists who joined last first, page by page; a value that changes has joined once', async () => {
      const decision = { definitionId: 'trt_1', value: '1', before: null, dueAt: null };
      const decide = (at: number, ...decisions: (Partial<Decision> & { person: number })[]) =>
        world.store.transaction((writer) =>
          writer.decide(
            decisions.map((each) => ({ ...decision, ...each })),
            at,
          ),
        );
      await decide(NOW, { person: 2 }, { person: 4 });
      await decide(NOW + 1, { person: 3 });
      await decide(NOW + 2, { person: 1 });
      await decide(NOW + 9, { person: 4, value: '5', before: '1' }, { person: 3, value: null, before: '1' });
      const known = await world.store.latestMembers('trt_1', null, 9);
      expect(known).toEqual([
        { person: 1, userId: 'u1', value: '1', since: NOW + 2 },
        { person: 4, userId: 'u4', value: '5', since: NOW },
        { person: 2, userId: 'u2', value: '1', since: NOW },
      ]);
      expect(await world.store.latestMembers('trt_1', null, 2)).toEqual(known.slice(0, 2));
      expect(await world.store.latestMembers('trt_1', known[1] ?? null, 2)).toEqual(known.slice(2));
      expect(await world.store.latestMembers('trt_1', { person: 1, since: null }, 2)).toEqual([]);
      expect(await world.store.membersAmong('trt_1', [3, 4, 9])).toEqual([known[1]]);
      expect(await world.store.latestMembers('unknown', null, 9)).toEqual([]);
    });

    test('a person’s events are read from the newest to the oldest, in pages of any size', async () => {
      const places = [3, 2, 2, 1].map((at, i) => ({ at: NOW + at, messageId: `m${9 - i}` }));
      const said = { type: 'track', name: 'Order', properties: {} } as const;
      const events = places.map((place) => ({ ...said, ...place, person: 1 }));
      await world.store.transaction((writer) =>
        writer.record({
          ...{ traits: [], groups: [], groupTraits: [] },
          events: [...events, { ...said, person: 2, at: NOW, messageId: 'other' }],
        }),
      );
      const ids = async (limit: number, before: (typeof places)[number] | null) =>
        (await world.store.recentEvents(1, limit, before)).map(({ messageId }) => messageId);
      expect(await ids(2, null)).toEqual(['m9', 'm8']);
      expect(await ids(9, places[1] ?? null)).toEqual(['m7', 'm6']);
      expect(await ids(9, places[3] ?? null)).toEqual([]);
    });
  });
}
