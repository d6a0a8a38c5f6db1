import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Definition, DefinitionIds, Facts, HeldKind, Needs, Persons, ProfileStore } from './contract.ts';
import { readPersons } from './records.ts';

/** An implementation in an empty world of its own, as its tests open it. */
export interface ProfileWorld {
  /** The store; another one after `crash`. */
  readonly store: ProfileStore;
  /** Loses what a killed process loses, and opens what it left. */
  crash(): Promise<void>;
  close(): Promise<void>;
}

const ALL: Needs = { traits: 'all', groupTraits: new Set(['size']), events: [] };
const NOTHING: Facts = { traits: [], groups: [], groupTraits: [], events: [] };
const NOW = 1_800_000_000_000;

const audience: Definition = {
  ...{ id: 'aud_1', what: { audience: { trait: 'plan', is: { equals: 'pro' } } }, name: 'Pros', key: 'pros' },
  ...{ sourceId: 'src_1', createdAt: NOW, updatedAt: NOW, job: null, size: 0, sentAt: null },
};
const trait: Definition = {
  ...audience,
  ...{ id: 'trt_1', what: { trait: { compute: { count: true }, event: { name: 'Order' } } }, sourceId: 'src_2' },
};

/** What every `ProfileStore` promises (people/contract.ts), as tests. */
export function profileConformance(name: string, open: () => Promise<ProfileWorld>): void {
  describe(`${name} keeps the profiles' contract`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const write: ProfileStore['transaction'] = (work) => world.store.transaction(work);
    const person = async (id: number, needs: Needs = ALL) =>
      (await readPersons(world.store, [id], needs, 'all', NOW))[0];
    const toldTo = async (userId: string) => (await world.store.lastTold([userId], 'all')).get(userId);
    const traitsOf = async (id: number) =>
      Object.fromEntries(
        [...((await person(id))?.who.traits ?? [])].map(([name, { value, at }]) => [name, [value, at]]),
      );
    const persons = (count: number): Promise<readonly number[]> =>
      write(async (writer) => {
        const ids = await writer.newPersons(count);
        await writer.putPersons(ids.map((id) => ({ person: id, userId: `u${id}` })));
        return ids;
      });
    const event = (id: number, at: number, messageId: string, more: object = {}) => ({
      ...{ person: id, at, messageId, type: 'track' as const, name: 'Order', properties: { total: 1 } },
      ...more,
    });

    test('a transaction is whole and durable, or nothing of it is there', async () => {
      await write((writer) => writer.setPositions(new Map([['s', 7]])));
      const broken = write(async (writer) => {
        await writer.setPositions(new Map([['s', 8]]));
        await writer.putDefinition(audience);
        await writer.record({ ...NOTHING, traits: [{ person: 1, name: 'new', value: 1, at: 1, position: 1 }] });
        throw new Error('broken');
      });
      await expect(broken).rejects.toThrow('broken');
      await world.crash();
      expect(await world.store.positions()).toEqual(new Map([['s', 7]]));
      expect(await world.store.definitions()).toEqual([]);
      // What the broken transaction had numbered can be numbered again.
      const [one] = await persons(1);
      await write((writer) =>
        writer.record({ ...NOTHING, traits: [{ person: one ?? 0, name: 'new', value: 2, at: 1, position: 1 }] }),
      );
      expect(await traitsOf(one ?? 0)).toEqual({ new: [2, 1] });
    });

    test('a number is never given to two persons, also when one ends', async () => {
      const first = await persons(3);
      await write(async (writer) => {
        await writer.unite([{ from: first[2] ?? 0, into: first[0] ?? 0 }]);
      });
      await world.crash();
      expect(first.concat(await persons(2))).toEqual([1, 2, 3, 4, 5]);
      expect(await world.store.lastPerson()).toBe(5);
    });

    test('a trait is the latest by time, then by position, in whatever order they come', async () => {
      await persons(1);
      const facts = [
        { person: 1, name: 'plan', value: 'old', at: 10, position: 9 },
        { person: 1, name: 'plan', value: { nested: [null] }, at: 20, position: 3 },
        { person: 1, name: 'plan', value: 'tie lost', at: 20, position: 2 },
      ];
      for (const order of [facts, facts.toReversed()]) {
        for (const fact of order) await write((writer) => writer.record({ ...NOTHING, traits: [fact] }));
        expect(await traitsOf(1)).toEqual({ plan: [{ nested: [null] }, 20] });
      }
    });

    test('names the traits and groups of persons who have so many', async () => {
      await persons(3);
      const trait = (person: number, name: string) => ({ person, name, value: 1, at: 1, position: 1 });
      await write((writer) =>
        writer.record({
          ...NOTHING,
          traits: [trait(1, 'a'), trait(1, 'b'), trait(1, 'a'), trait(2, 'a')],
          groups: [{ person: 1, groupId: 'g' }],
        }),
      );
      const held = (kind: HeldKind, least: number) => world.store.held(kind, [1, 2, 3], least);
      expect(await held('traits', 2)).toEqual(new Map([[1, new Set(['a', 'b'])]]));
      expect(await held('traits', 0)).toEqual(
        new Map([
          [1, new Set(['a', 'b'])],
          [2, new Set(['a'])],
        ]),
      );
      expect(await held('groups', 1)).toEqual(new Map([[1, new Set(['g'])]]));
      expect(await held('groups', 2)).toEqual(new Map());
    });

    test('persons who become one keep the traits that were said last, as many as one may have', async () => {
      await persons(2);
      const traits = (person: number, from: number) =>
        Array.from({ length: 800 }, (_, i) => ({ person, name: `t${from + i}`, value: i, at: from + i, position: 1 }));
      const groups = (person: number) => Array.from({ length: 800 }, (_, i) => ({ person, groupId: `${person} ${i}` }));
      await write((writer) =>
        writer.record({
          ...NOTHING,
          traits: [...traits(1, 0), ...traits(2, 800)],
          groups: [...groups(1), ...groups(2)],
        }),
      );
      await write((writer) => writer.unite([{ from: 2, into: 1 }]));
      for (const kind of ['traits', 'groups'] as const) {
        const held = await world.store.held(kind, [1, 2], 0);
        expect([...held].map(([person, names]) => [person, names.size])).toEqual([[1, 1_000]]);
      }
      const kept = Object.keys(await traitsOf(1));
      expect(kept).toContain('t1599');
      expect(kept).toContain('t600');
      expect(kept).not.toContain('t599');
    });

    test('events come sorted, once each, and no older ones or others than are needed', async () => {
      await persons(2);
      const events = [
        event(1, NOW, 'm2'),
        event(1, NOW - 500, 'm9', { properties: { __proto__: 1, deep: { 'ü“': [true] } } }),
        event(1, NOW, 'm1', { type: 'page', name: null }),
        event(1, NOW - 2_000, 'm3'),
        event(2, NOW, 'm4'),
      ];
      await write((writer) => writer.record({ ...NOTHING, events: [...events, event(1, NOW, 'm2')] }));
      const needed = async (needs: Needs['events']) =>
        (await person(1, { ...ALL, events: needs }))?.who.events.map(({ messageId }) => messageId);
      const orders = { type: 'track', name: 'Order', lookBack: Infinity } as const;
      expect(await needed([orders])).toEqual(['m3', 'm9', 'm2']);
      expect(await needed([{ ...orders, lookBack: 1_000 }])).toEqual(['m9', 'm2']);
      expect(await needed([{ type: 'page', name: null, lookBack: 1_000 }])).toEqual(['m1']);
      expect(await needed([orders, { type: 'page', name: null, lookBack: 10 }])).toEqual(['m3', 'm9', 'm1', 'm2']);
      expect(await needed([{ ...orders, name: 'Unknown' }])).toEqual([]);
      expect(await needed([])).toEqual([]);
      const [newest] = await world.store.recentEvents(1, 1);
      expect(newest).toMatchObject({ messageId: 'm2', name: 'Order', type: 'track', properties: { total: 1 } });
    });

    test('group traits say when they changed, and belong to who belongs to the group', async () => {
      await persons(2);
      const said = (value: unknown, at: number, position: number) => ({
        groupId: 'g',
        name: 'size',
        value,
        at,
        position,
      });
      const record = (fact: ReturnType<typeof said>) =>
        write(async (writer) => {
          const given = { ...NOTHING, groups: [{ person: 1, groupId: 'g' }], groupTraits: [fact] };
          return (await writer.record(given)).changes;
        });
      expect(await record(said(1, 10, 1))).toMatchObject([{ groupId: 'g', name: 'size' }]);
      expect(await record(said(1, 20, 2))).toEqual([]);
      expect(await record(said(2, 15, 3))).toEqual([]);
      expect((await person(1))?.who.groups).toEqual(new Map([['g', new Map([['size', 1]])]]));
      expect((await person(2))?.who.groups).toEqual(new Map());
    });

    test('united persons are one: identities, traits, groups, events; what was decided stays until it is decided anew', async () => {
      await persons(2);
      await write(async (writer) => {
        await writer.putDefinition(audience);
        await writer.putIdentities([
          { id: 'a', person: 1, since: null, aliased: null },
          { id: 'b', person: 2, since: 5, aliased: 6 },
        ]);
        await writer.record({
          traits: [
            { person: 1, name: 'x', value: 'one', at: 2, position: 1 },
            { person: 2, name: 'x', value: 'two', at: 1, position: 2 },
            { person: 2, name: 'y', value: 'two', at: 1, position: 2 },
          ],
          groups: [{ person: 2, groupId: 'g' }],
          groupTraits: [],
          events: [event(1, NOW, 'm1'), event(2, NOW, 'm1'), event(2, NOW, 'm2')],
        });
        await writer.putDefinition({ ...audience, id: 'aud_2', key: 'other' });
        const said = { definitionId: 'aud_1', value: 'true', before: null, dueAt: NOW };
        await writer.decide(
          [
            { ...said, person: 1 },
            { ...said, person: 2 },
            { ...said, person: 2, definitionId: 'aud_2', dueAt: null },
          ],
          NOW - 5,
        );
        await writer.unite([{ from: 2, into: 1 }]);
      });
      expect(await world.store.members('aud_2', 10, 9)).toMatchObject([{ person: 1, value: 'true', since: NOW - 5 }]);
      expect((await world.store.definitions()).map(({ size }) => size)).toEqual([1, 1]);
      expect(await person(2)).toBeUndefined();
      expect(await traitsOf(1)).toEqual({ x: ['one', 2], y: ['two', 1] });
      expect([...((await person(1))?.who.groups.keys() ?? [])]).toEqual(['g']);
      expect((await world.store.recentEvents(1, 9)).map(({ messageId }) => messageId)).toEqual(['m2', 'm1']);
      expect((await world.store.identitiesOf([1])).map(({ id }) => id).toSorted()).toEqual(['a', 'b']);
      expect(await world.store.identities(['b', 'c'])).toEqual([{ id: 'b', person: 1, since: 5, aliased: 6 }]);
      expect((await world.store.definitions())[0]?.size).toBe(1);
      expect(await world.store.due(NOW, 9)).toEqual([{ definitionId: 'aud_1', person: 1, at: NOW }]);
    });

    test('an erased person is gone with all ids, what was decided and told; the events in parts', async () => {
      await persons(2);
      const said = { definitionId: 'aud_1', value: 'true', before: null, dueAt: NOW };
      const told = { definitionId: 'aud_1', userId: 'u1', value: 'true', at: NOW };
      await write(async (writer) => {
        await writer.putDefinition(audience);
        await writer.putIdentities([
          { id: 'u1', person: 1, since: 5, aliased: null },
          { id: 'a1', person: 1, since: null, aliased: null },
          { id: 'u2', person: 2, since: 5, aliased: null },
        ]);
        await writer.record({
          ...NOTHING,
          traits: [
            { person: 1, name: 'x', value: 'one', at: 2, position: 1 },
            { person: 1, name: 'email', value: 'one@shop.example', at: 2, position: 1 },
          ],
          groups: [{ person: 1, groupId: 'g' }],
          events: [...[1, 2, 3].map((n) => event(1, NOW, `m${n}`)), event(2, NOW, 'm4')],
        });
        await writer.decide(
          [
            { ...said, person: 1 },
            { ...said, person: 2 },
          ],
          NOW,
        );
        await writer.tell([told, { ...told, userId: 'u2' }]);
      });
      const erasure = { id: 'reg_1', through: [7, 2 ** 49 + 7], ids: [['u1', 'a1'], ['nobody']] };
      await write((writer) => writer.erase(erasure, [1]));
      await world.crash();
      expect([await world.store.erasing(), await world.store.erasure('reg_1')]).toEqual([true, erasure]);
      expect(await world.store.erasure('reg_2')).toBeNull();
      expect([await person(1), await world.store.identities(['u1', 'a1'])]).toEqual([undefined, []]);
      expect(await world.store.findNames('one', 9)).toEqual([]);
      expect((await world.store.outbox(9)).map(({ userId }) => userId)).toEqual(['u2']);
      expect((await world.store.definitions())[0]?.size).toBe(1);
      expect((await world.store.due(NOW, 9)).map((due) => due.person)).toEqual([2]);
      // A call by this id makes a new person, of whom nothing was told.
      const [other = 0] = await persons(1);
      await write((writer) => writer.putPersons([{ person: other, userId: 'u1' }]));
      expect(await toldTo('u1')).toBeUndefined();

      const parts: boolean[] = [];
      while (parts.at(-1) !== true) parts.push(await write((writer) => writer.sweep(2)));
      expect(parts.length).toBeGreaterThan(1);
      expect([await world.store.recentEvents(1, 9), await world.store.recentEvents(2, 9)]).toMatchObject([[], [{}]]);
      await write((writer) => writer.endErasure('reg_1'));
      expect([await world.store.erasing(), await world.store.erasure('reg_1')]).toEqual([false, null]);
      expect(await world.store.compact()).toBe(true);
      expect((await world.store.members('aud_1', 10, 9)).map(({ userId }) => userId)).toEqual(['u2']);
    });

    test('events from before a time go page by page, and then persons of whom nothing newer is known', async () => {
      await persons(2);
      const [quiet, told, grouped, busy] = (await write((writer) => writer.newPersons(4))) as number[];
      const all = { quiet: quiet ?? 0, told: told ?? 0, grouped: grouped ?? 0, busy: busy ?? 0 };
      const old = (person: number, n: number) => event(person, NOW - n, `old-${person}-${n}`);
      await write(async (writer) => {
        await writer.putPersons(Object.values(all).map((person) => ({ person, userId: null })));
        await writer.putIdentities(
          Object.entries(all).map(([id, person]) => ({ id, person, since: null, aliased: null })),
        );
        await writer.record({
          ...NOTHING,
          traits: [
            { person: all.quiet, name: 'x', value: 1, at: NOW - 1, position: 1 },
            { person: all.told, name: 'x', value: 1, at: NOW, position: 1 },
          ],
          groups: [{ person: all.grouped, groupId: 'g' }],
          events: [
            ...[1, 2, 3].map((n) => old(1, n)),
            old(all.quiet, 1),
            { ...old(all.quiet, 2), type: 'page', name: null },
            event(1, NOW, 'm'),
            event(all.busy, NOW, 'm'),
          ],
        });
      });
      const pages: (readonly number[])[] = [];
      for (let from: number | null = 0; from !== null; ) {
        const page = await write((writer) => writer.expireEvents(NOW, from ?? 0, 2));
        pages.push(page.persons);
        from = page.next;
      }
      expect([pages.length, new Set(pages.flat())]).toEqual([3, new Set([1, all.quiet])]);
      expect(await world.store.recentEvents(1, 9)).toMatchObject([{ messageId: 'm' }]);
      const expire = (upTo: number) => write((writer) => writer.expirePersons(NOW, { after: 0, upTo }));
      await expire(all.quiet - 1);
      expect((await world.store.find('quiet', 9)).length).toBe(1);
      await expire(all.busy);
      expect((await world.store.find('', 9)).map(({ id }) => id)).toEqual(['busy', 'grouped', 'told']);
      expect((await world.store.namesAfter(0, 9)).map(({ person }) => person)).toEqual([
        ...[1, 2, all.told, all.grouped, all.busy],
      ]);
    });

    test('keeps decisions, and finds what is due, the longest due first', async () => {
      await persons(3);
      await write(async (writer) => {
        await writer.putDefinition(audience);
        await writer.putDefinition(trait);
        await writer.decide(
          [
            { definitionId: 'aud_1', person: 1, value: 'true', before: null, dueAt: NOW + 2 },
            { definitionId: 'trt_1', person: 1, value: '3', before: null, dueAt: null },
            { definitionId: 'aud_1', person: 2, value: 'true', before: null, dueAt: NOW + 1 },
            { definitionId: 'aud_1', person: 3, value: null, before: null, dueAt: NOW + 3 },
          ],
          NOW,
        );
      });
      expect(await person(1)).toMatchObject({
        who: { audiences: new Set(['aud_1']) },
        values: new Map([['trt_1', '3']]),
      });
      const dues = async (of: DefinitionIds) => (await world.store.states([1, 4], of)).get(1)?.due;
      expect(await dues('all')).toEqual(new Map([['aud_1', NOW + 2]]));
      expect(await dues(new Set(['trt_1']))).toEqual(new Map());
      expect(await world.store.nextDue()).toBe(NOW + 1);
      expect((await world.store.due(NOW + 2, 9)).map(({ person: id }) => id)).toEqual([2, 1]);
      expect(await world.store.members('aud_1', 10, 1)).toEqual([
        { person: 2, userId: 'u2', value: 'true', since: NOW },
      ]);
      expect(await world.store.members('trt_1', 10, 9)).toEqual([{ person: 1, userId: 'u1', value: '3', since: NOW }]);
      expect((await world.store.definitions()).map(({ size }) => size)).toEqual([2, 1]);
      await write(async (writer) => {
        expect(await writer.keepSizes(NOW)).toBe(false);
        await writer.decide([{ definitionId: 'aud_1', person: 1, value: null, before: 'true', dueAt: null }], NOW);
        await writer.notDue([{ definitionId: 'aud_1', person: 2, at: NOW + 1 }]);
        await writer.makeDue([{ definitionId: 'aud_1', person: 3, at: NOW + 9 }]);
      });
      const first = { definitionId: 'aud_1', person: 3, at: NOW + 3 };
      expect(await world.store.due(NOW + 9, 9)).toEqual([first]);
      await write((writer) => writer.makeDue([{ definitionId: 'trt_1', person: 3, at: NOW + 5 }]));
      expect([await world.store.nextDue(), await world.store.due(NOW + 4, 9)]).toEqual([NOW + 3, [first]]);
      expect(await world.store.due(NOW + 9, 1)).toEqual([first]);
      expect(await world.store.due(NOW + 9, 9)).toEqual([first, { definitionId: 'trt_1', person: 3, at: NOW + 5 }]);
      expect(await world.store.sizes('aud_1', 0)).toEqual([{ at: NOW, size: 2 }]);
      expect((await world.store.definitions())[0]?.size).toBe(1);
    });

    test('counts the persons of a range for whom a condition holds, and names some', async () => {
      await persons(5);
      await write(async (writer) => {
        await writer.unite([{ from: 4, into: 2 }]);
        await writer.record({ ...NOTHING, events: [1, 2, 5].map((id) => event(id, NOW - 1, `m${id}`)) });
      });
      const ordered = { event: { name: 'Order' } };
      const counted = (after: number, upTo: number, sample = 9) =>
        world.store.count(ordered, NOW, { after, upTo }, sample);
      const one = { person: 1, userId: 'u1' };
      const two = { person: 2, userId: 'u2' };
      expect(await counted(0, 5)).toEqual({ count: 3, persons: 4, sample: [one, two, { person: 5, userId: 'u5' }] });
      expect(await counted(0, 2)).toEqual({ count: 2, persons: 2, sample: [one, two] });
      expect(await counted(2, 4)).toEqual({ count: 0, persons: 1, sample: [] });
      expect((await counted(0, 5, 2)).sample).toEqual([one, two]);
      expect(await counted(0, 5, 0)).toEqual({ count: 3, persons: 4, sample: [] });
      expect(await world.store.persons()).toBe(4);
    });

    test('knows who did something lately, the newest first', async () => {
      await persons(4);
      const events = [
        ...[event(1, NOW - 30, 'm1'), event(2, NOW - 10, 'm2'), event(1, NOW - 5, 'm3'), event(3, NOW + 5, 'm4')],
        event(4, NOW - 7, 'm5', { type: 'page', name: 'Home' }),
        event(2, NOW - 6, 'm6', { type: 'page', name: null }),
      ];
      await write((writer) => writer.record({ ...NOTHING, events }));
      const orders = { type: 'track', name: 'Order', lookBack: Infinity } as const;
      const pages = { type: 'page', name: null, lookBack: Infinity } as const;
      expect(await world.store.latest([orders], NOW, 9)).toEqual([1, 2]);
      expect(await world.store.latest([orders], NOW, 2)).toEqual([1, 2]);
      expect(await world.store.latest([{ ...orders, lookBack: 8 }], NOW, 9)).toEqual([1]);
      expect(await world.store.latest([pages], NOW, 9)).toEqual([2, 4]);
      expect(await world.store.latest([orders, pages], NOW, 9)).toEqual([1, 2, 4]);
      expect(await world.store.latest([{ ...orders, name: 'Unknown' }], NOW, 9)).toEqual([]);
    });

    test('reads persons of a list and of a range alike', async () => {
      await persons(5);
      const facts = [1, 2, 4].map((id) => event(id, NOW - id, `m${id}`));
      await write((writer) => writer.record({ ...NOTHING, events: facts }));
      const needs: Needs = { ...ALL, events: [{ type: 'track', name: 'Order', lookBack: 3 }] };
      const plain = async (scope: Persons) =>
        Array.from(await world.store.facts(scope, needs, NOW), ([id, { events }]) => [
          id,
          events.map(({ messageId }) => messageId),
        ]);
      expect(await plain({ after: 1, upTo: 4 })).toEqual([[2, ['m2']]]);
      expect(await plain([2, 3, 4])).toEqual([[2, ['m2']]]);
      expect(await world.store.namesAfter(1, 3)).toEqual([2, 3, 4].map((id) => ({ person: id, userId: `u${id}` })));
      expect(await world.store.names([4, 9])).toEqual([{ person: 4, userId: 'u4' }]);
      expect(await world.store.namesAfter(5, 3)).toEqual([]);
    });

    test('the outbox keeps its order and its ids, and what was told is known by user', async () => {
      await persons(1);
      const message = { definitionId: 'aud_1', userId: 'u1', value: 'true', at: NOW };
      await write(async (writer) => {
        await writer.putDefinition(audience);
        await writer.tell([message, { ...message, userId: 'u2' }]);
      });
      await world.crash();
      const messages = await world.store.outbox(9);
      expect(messages).toMatchObject([message, { ...message, userId: 'u2' }]);
      expect(await world.store.outboxSize()).toBe(2);
      await write((writer) =>
        writer.told(
          messages.map(({ id }) => id),
          NOW + 5,
        ),
      );
      await write((writer) => writer.tell([{ ...message, value: 'false' }]));
      const [next] = await world.store.outbox(9);
      expect(next?.id).toBeGreaterThan(messages[1]?.id ?? Number.NaN);
      expect(await toldTo('u1')).toEqual(new Map([['aud_1', 'false']]));
      expect((await world.store.definitions())[0]?.sentAt).toBe(NOW + 5);
    });

    test('forgets a definition in parts, and all persons at once but not what they were told', async () => {
      await persons(3);
      await write(async (writer) => {
        await writer.putDefinition(audience);
        await writer.decide(
          [1, 2, 3].map((id) => ({ definitionId: 'aud_1', person: id, value: 'true', before: null, dueAt: null })),
          NOW,
        );
        await writer.tell([{ definitionId: 'aud_1', userId: 'u1', value: 'true', at: NOW }]);
        await writer.setPositions(new Map([['s', 3]]));
        await writer.wipe();
        await writer.setRebuilding(true);
      });
      expect([await world.store.positions(), await person(1), await world.store.rebuilding()]).toEqual([
        new Map(),
        undefined,
        true,
      ]);
      expect((await world.store.definitions())[0]?.size).toBe(0);
      expect(await world.store.outboxSize()).toBe(1);
      const left = await persons(1);
      await write((writer) => writer.putPersons([{ person: left[0] ?? 0, userId: 'u1' }]));
      expect(await toldTo('u1')).toEqual(new Map([['aud_1', 'true']]));
      let parts = 1;
      while (!(await write((writer) => writer.forget('aud_1', 1)))) parts++;
      expect(parts).toBeGreaterThan(1);
      expect(await world.store.definitions()).toEqual([]);
      expect(await world.store.outboxSize()).toBe(0);
      expect(await world.store.ownSources()).toEqual(new Set(['src_1']));
      // One of the same id knows nothing of what that one told.
      await write((writer) => writer.putDefinition(audience));
      expect((await toldTo('u1'))?.get('aud_1')).toBeUndefined();
    });
  });
}
