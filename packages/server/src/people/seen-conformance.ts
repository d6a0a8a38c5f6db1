import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProfileWorld } from './conformance.ts';
import type { Most } from './seen.ts';

const NOW = 1_800_000_000_000;

/** What every `ProfileStore` promises of what calls said lately (people/contract.ts), as tests. */
export function seenConformance(name: string, open: () => Promise<ProfileWorld>): void {
  describe(`${name} knows what calls said lately`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    test('names what calls said lately, and nothing that an erased person left', async () => {
      const event = (id: number, at: number, messageId: string, more: object) => ({
        ...{ person: id, at, messageId, type: 'track' as const, name: 'Order', properties: {} },
        ...more,
      });
      const names = ['Order', 'order 100%_', 'ORDER', 'Gone', 'Later'];
      const ats = [NOW - 9, NOW - 5, NOW, NOW - 1, NOW + 1];
      const events = [
        ...names.map((name, i) => event(name === 'Gone' ? 2 : 1, ats[i] ?? 0, `m${i}`, { name, properties: { i } })),
        event(3, NOW - 1, 'm9', { properties: { i: 9 } }),
        event(3, NOW, 'p1', { type: 'page', name: 'Home', properties: { page: 1 } }),
        event(3, NOW, 'p2', { type: 'page', name: null, properties: { page: 2 } }),
      ];
      const said = (id: number, name: string) => ({ person: id, name, value: name, at: NOW, position: id });
      await world.store.transaction(async (writer) => {
        const ids = await writer.newPersons(3);
        await writer.putPersons(ids.map((id) => ({ person: id, userId: `u${id}` })));
        const traits = [said(1, 'plan'), said(1, 'since'), said(2, 'gone'), said(3, 'plan')];
        const groupTraits = [{ groupId: 'acme', name: 'seats', value: 5, at: NOW, position: 9 }];
        await writer.record({ groups: [], events, traits, groupTraits });
        await writer.erase({ id: 'reg_1', through: [0], ids: [['u2']] }, [2]);
      });
      const asked = { type: 'track', text: '', since: NOW - 5, now: NOW, limit: 9, most: 9 } as const;
      const named = async (more: object) =>
        (await world.store.eventNames({ ...asked, ...more })).map(({ name, events }) => `${name} ${events}`).toSorted();
      expect(await named({})).toEqual(['ORDER 1', 'Order 1', 'order 100%_ 1']);
      expect(await named({ since: NOW - 9, most: 1 })).toEqual(['ORDER 1', 'Order 1', 'order 100%_ 1']);
      expect(await named({ text: '%_' })).toEqual(['order 100%_ 1']);
      expect(await named({ type: 'page' })).toEqual(['Home 1']);
      expect(await named({ limit: 2 })).toHaveLength(2);

      const most = { rows: 9, characters: 1_000 };
      const properties = async (type: 'track' | 'page', name: string | null, bound: Partial<Most> = {}) =>
        (await world.store.newestProperties({ type, name }, NOW, { ...most, ...bound })).toSorted();
      expect(await properties('track', 'Order')).toEqual(['{"i":0}', '{"i":9}']);
      expect(await properties('track', 'Order', { rows: 1 })).toEqual(['{"i":9}']);
      expect(await properties('track', 'Order', { characters: 7 })).toEqual(['{"i":9}']);
      for (const name of ['Gone', 'Later', 'Unknown']) expect(await properties('track', name)).toEqual([]);
      expect(await properties('page', null)).toEqual(['{"page":1}', '{"page":2}']);

      const traits = async (of: 'person' | 'group', bound: Partial<Most> = {}) =>
        (await world.store.newestTraits(of, { ...most, ...bound })).map(({ name, value }) => `${name} ${value}`);
      expect(await traits('person')).toEqual(['plan "plan"', expect.anything(), expect.anything()]);
      expect((await traits('person')).toSorted()).toEqual(['plan "plan"', 'plan "plan"', 'since "since"']);
      expect(await traits('person', { rows: 1 })).toEqual(['plan "plan"']);
      expect(await traits('person', { characters: 6 })).toEqual(['plan "plan"']);
      expect(await traits('group')).toEqual(['seats 5']);
    });

    test('names that somebody invents hide none that was there before', async () => {
      const said = (i: number, type: 'track' | 'page', name: string, properties: object) => {
        return { ...{ person: 1, at: NOW - i, messageId: `${type} ${i}`, type, name }, properties: { ...properties } };
      };
      const invented = Array.from({ length: 300 }, (_, i) => [
        said(10 + i, 'track', `invented ${i}`, {}),
        said(10 + i, 'page', `invented ${i}`, { invented: i }),
      ]);
      const events = [1, 2, 3].flatMap((i) => [said(i, 'track', 'Order', {}), said(i, 'page', 'Home', { path: '/' })]);
      await world.store.transaction(async (writer) => {
        await writer.newPersons(1);
        for (const some of [events, invented.flat()])
          await writer.record({ groups: [], traits: [], groupTraits: [], events: some });
      });
      const asked = { text: '', since: NOW - 1_000, now: NOW, limit: 200, most: 9 } as const;
      const tracked = await world.store.eventNames({ ...asked, type: 'track' });
      expect(tracked).toHaveLength(200);
      expect(tracked).toContainEqual({ name: 'Order', events: 3 });
      const most = { rows: 1_000, characters: 1_000_000 };
      const pages = await world.store.newestProperties({ type: 'page', name: null }, NOW, most);
      expect(pages.filter((json) => json === '{"path":"/"}')).toHaveLength(3);
      expect(pages).toContain('{"invented":299}');
    });
  });
}
