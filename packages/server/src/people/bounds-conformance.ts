import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProfileWorld } from './conformance.ts';
import type { Facts, NeededEvents } from './contract.ts';
import { EVENTS_OF_A_PERSON } from './fact-bounds.ts';

/** What every `ProfileStore` promises of how much it keeps of a person (people/contract.ts), as tests. */
export function boundsConformance(name: string, open: () => Promise<ProfileWorld>): void {
  describe(`${name} keeps a bounded number of a person's events`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
      await world.store.transaction(async (writer) => {
        const ids = await writer.newPersons(2);
        await writer.putPersons(ids.map((id) => ({ person: id, userId: `u${id}` })));
      });
    });
    afterEach(() => world.close());

    type Event = Facts['events'][number];
    const event = (person: number, at: number, more: Partial<Event> = {}): Event => ({
      ...{ person, at, messageId: `m${at}`, type: 'track', name: 'Order', properties: { total: 1 } },
      ...more,
    });
    const many = (count: number, from: number, more: (i: number) => Partial<Event> = () => ({})): Event[] =>
      Array.from({ length: count }, (_, i) => event(1, from + i, more(i)));
    const record = (events: Facts['events']) =>
      world.store.transaction((writer) => writer.record({ traits: [], groups: [], groupTraits: [], events }));
    const times = async (of: Omit<NeededEvents, 'lookBack'>, person = 1) => {
      const needs = {
        traits: new Set<string>(),
        groupTraits: new Set<string>(),
        events: [{ ...of, lookBack: Infinity }],
      };
      const facts = await world.store.facts([person], needs, Number.MAX_SAFE_INTEGER);
      return facts.get(person)?.events.map(({ at }) => at) ?? [];
    };
    const orders = { type: 'track', name: 'Order' } as const;
    const { alike, events: most, characters } = EVENTS_OF_A_PERSON;

    test('of track calls of a name no more than the newest are kept; what comes late and is older goes too', async () => {
      await record([...many(5, 0, () => ({ name: 'Rare' })), event(2, 0)]);
      expect(await record(many(alike, 10_000))).toEqual({ changes: [], trimmed: [] });
      expect(await times(orders)).toHaveLength(alike);
      expect(await record(many(2_000, 30_000))).toEqual({ changes: [], trimmed: [1] });
      expect(await times(orders)).toHaveLength(alike);
      expect((await times(orders))[0]).toBe(12_000);
      await record(many(1_500, 5_000));
      expect((await times(orders))[0]).toBe(12_000);
      expect(await times({ type: 'track', name: 'Rare' })).toHaveLength(5);
      expect(await times(orders, 2)).toHaveLength(1);
    });

    test('of page calls no more than the newest are kept, also of different names', async () => {
      await record([event(1, 0), event(1, 1, { type: 'screen', name: 'Home' })]);
      await record(many(alike + 2_000, 10, (i) => ({ type: 'page', name: `invented ${i}` })));
      const pages = await times({ type: 'page', name: null });
      expect([pages.length, pages[0]]).toEqual([alike, 2_010]);
      expect(await times(orders)).toEqual([0]);
      expect(await times({ type: 'screen', name: null })).toEqual([1]);
    });

    test('of calls of invented names no more than the newest are kept', async () => {
      await record([event(1, 0)]);
      await record(many(most, 10, (i) => ({ name: `invented ${i}` })));
      expect(await times(orders)).toEqual([]);
      expect(await times({ type: 'track', name: 'invented 0' })).toEqual([10]);
    });

    test('of long calls no more than the newest are kept, also when persons become one', async () => {
      const properties = { long: 'x'.repeat(30_000) };
      const { length } = JSON.stringify(properties);
      const fit = Math.floor(characters / length);
      await record(many(fit + 50, 10, () => ({ properties })));
      expect(await times(orders)).toHaveLength(fit);
      await record(many(fit, 1_000, () => ({ person: 2, properties })));
      await world.store.transaction((writer) => writer.unite([{ from: 2, into: 1 }]));
      await record([event(1, 0)]);
      expect(await times(orders)).toEqual(Array.from({ length: fit }, (_, i) => 1_000 + i));
    });
  });
}
