import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProfileWorld } from './conformance.ts';
import type { Facts, Identity, ProfileStore, Seen, Unjoined } from './contract.ts';

/** What every `ProfileStore` promises of identities (people/contract.ts), as tests. */
export function identityConformance(name: string, open: () => Promise<ProfileWorld>): void {
  describe(`${name} keeps identities`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const write: ProfileStore['transaction'] = (work) => world.store.transaction(work);
    const persons = (count: number): Promise<readonly number[]> =>
      write(async (writer) => {
        const ids = await writer.newPersons(count);
        await writer.putPersons(ids.map((id) => ({ person: id, userId: `u${id}` })));
        return ids;
      });

    test('finds identities by what they begin with, in the order of their characters', async () => {
      const ids = ['a', 'ab', 'ab%', 'ab_c', 'abé', 'ab😀', 'b', 'AB'];
      await write((writer) =>
        writer.putIdentities(ids.map((id, i) => ({ id, person: i + 1, since: i, aliased: null }))),
      );
      const found = async (prefix: string, limit = 9) => (await world.store.find(prefix, limit)).map(({ id }) => id);
      expect(await found('ab')).toEqual(['ab', 'ab%', 'ab_c', 'abé', 'ab😀']);
      expect(await found('ab', 2)).toEqual(['ab', 'ab%']);
      expect(await found('ab_')).toEqual(['ab_c']);
      expect(await found('ab😀')).toEqual(['ab😀']);
      expect(await found('c')).toEqual([]);
      expect(await found('')).toHaveLength(ids.length);
      expect(await world.store.find('b', 1)).toEqual([{ id: 'b', person: 7, since: 6, aliased: null }]);
    });

    test('finds persons by the beginning of an address, a name or a number, in any case', async () => {
      const [one = 0, other = 0] = await persons(2);
      let position = 0;
      const say = (person: number, traits: Readonly<Record<string, unknown>>) =>
        write((writer) => {
          const at = ++position;
          const said = Object.entries(traits).map(([name, value]) => ({ person, name, value, at, position }));
          return writer.record({ traits: said, groups: [], groupTraits: [], events: [] });
        });
      const found = async (prefix: string, limit = 9) =>
        (await world.store.findNames(prefix, limit)).map(({ person, trait, value }) => [person, trait, value]);
      await say(one, { email: 'Ada@Shop.example', name: '"Ada" 100%_\\', phone: 4912345, plan: 'adamant' });
      await say(other, { email: 'adam@shop.example', lastName: 'Ådland', username: 'x'.repeat(150) });
      const ada = [one, 'email', 'Ada@Shop.example'];
      expect(await found('ADA')).toEqual([ada, [other, 'email', 'adam@shop.example']]);
      expect(await found('ada', 1)).toEqual([ada]);
      expect(await found('Ådl')).toEqual([[other, 'lastName', 'Ådland']]);
      expect(await found('"ada" 100%_\\')).toEqual([[one, 'name', '"Ada" 100%_\\']]);
      expect(await found('4912')).toEqual([[one, 'phone', 4912345]]);
      expect(await found('X'.repeat(120))).toHaveLength(1);
      for (const nothing of ['ada%', 'a_a', 'adamant', 'shop', "' OR 1=1"]) expect(await found(nothing)).toEqual([]);
      await say(one, { email: 'lovelace@shop.example' });
      expect(await found('ada')).toEqual([[other, 'email', 'adam@shop.example']]);
      await write((writer) => writer.unite([{ from: other, into: one }]));
      expect(await found('ådl')).toEqual([]);
      expect((await found('Ådl')).map(([person]) => person)).toEqual([one]);
      await write((writer) => writer.wipe());
      expect(await found('l')).toEqual([]);
    });

    test('which sources spoke of a person is kept as long as the person is', async () => {
      const [one = 0, other = 0] = await persons(2);
      const seen = (person: number, ...sourceIds: string[]): Seen[] =>
        sourceIds.map((sourceId) => ({ person, sourceId }));
      await write((writer) => writer.putSeen([...seen(one, 's', 't'), ...seen(other, 't')]));
      await write((writer) => writer.putSeen(seen(one, 's')));
      expect(await world.store.sourcesOf([one, other, 99])).toEqual(
        new Map([
          [one, ['s', 't']],
          [other, ['t']],
        ]),
      );
      await write((writer) => writer.unite([{ from: one, into: other }]));
      expect(await world.store.sourcesOf([one, other])).toEqual(new Map([[other, ['s', 't']]]));
      await write((writer) => writer.erase({ id: 'reg_1', through: [1], ids: [['x']] }, [other]));
      expect(await world.store.sourcesOf([other])).toEqual(new Map());
    });

    test('reads the traits of groups as far as it may: of each all, or none', async () => {
      const fact = (groupId: string, name: string): Facts['groupTraits'][0] => ({
        ...{ groupId, name, value: `of ${groupId}`, at: 1, position: 1 },
      });
      const facts = [fact('a', 'x'), fact('b', 'x'), fact('b', 'y'), fact('c', 'x'), fact('c', 'y')];
      await write((writer) => writer.record({ traits: [], groups: [], events: [], groupTraits: facts }));
      const traits = (groupId: string, ...names: string[]): [string, Map<string, unknown>] => {
        return [groupId, new Map(names.map((name) => [name, `of ${groupId}`]))];
      };
      const all = [traits('a', 'x'), traits('b', 'x', 'y'), traits('c', 'x', 'y')];
      const read = (rows: number, characters: number) =>
        world.store.traitsOfGroups(['a', 'b', 'c'], { rows, characters });
      expect(await read(6, 1_000)).toEqual(new Map(all));
      expect(await read(3, 1_000)).toEqual(new Map(all.slice(2)));
      expect(await read(6, 20)).toEqual(new Map(all.slice(2)));
      expect(await world.store.traitsOfGroups(['b', 'unknown'], { rows: 6, characters: 1_000 })).toEqual(
        new Map([traits('b', 'x', 'y'), traits('unknown')]),
      );
    });

    test('names the traits of groups that have many', async () => {
      const fact = (groupId: string, name: string): Facts['groupTraits'][0] => ({
        ...{ groupId, name, value: 1, at: 1, position: 1 },
      });
      const groupTraits = [fact('g', 'a'), fact('g', 'b\u0000'), fact('h', 'c')];
      await write((writer) => writer.record({ traits: [], groups: [], events: [], groupTraits }));
      expect(await world.store.groupTraits(['g', 'h', 'unknown'], 2)).toEqual(
        new Map([['g', new Set(['a', 'b\u0000'])]]),
      );
      expect((await world.store.groupTraits(['g', 'h'], 1)).size).toBe(2);
      expect(await world.store.groupTraits(['unknown'], 0)).toEqual(new Map());
    });

    test('finds the persons of a range who have several user ids', async () => {
      const identity = (id: string, person: number, since: number | null, aliased: number | null = null): Identity => ({
        ...{ id, person, since, aliased },
      });
      await write((writer) =>
        writer.putIdentities([
          ...[identity('a', 1, 5), identity('b', 1, null), identity('c', 2, 5), identity('d', 2, 6)],
          ...[identity('e', 3, 5), identity('f', 3, null, 9), identity('g', 4, 1), identity('h', 4, 2)],
        ]),
      );
      expect(await world.store.several({ after: 0, upTo: 9 })).toEqual([2, 3, 4]);
      expect(await world.store.several({ after: 2, upTo: 3 })).toEqual([3]);
    });

    test('ids that were not joined are kept by person, the newest, and counted by source', async () => {
      const [one = 0, other = 0] = await persons(2);
      const unjoined = (id: string, at: number, more: Partial<Unjoined> = {}): Unjoined => ({
        ...{ person: one, id, sourceId: 's', why: 'user', at },
        ...more,
      });
      await write((writer) => writer.putUnjoined([unjoined('a', 1), unjoined('b\u0000', 2, { why: 'limit' })]));
      await write((writer) =>
        writer.putUnjoined([unjoined('a', 3, { why: 'unknown', sourceId: 't' }), unjoined('a', 2)]),
      );
      const kept = [unjoined('a', 3, { why: 'unknown', sourceId: 't' }), unjoined('b\u0000', 2, { why: 'limit' })];
      expect(await world.store.unjoined(one)).toEqual(kept);
      expect(await world.store.unjoined(other)).toEqual([]);
      expect([await world.store.countUnjoined('s', 9), await world.store.countUnjoined('t', 9)]).toEqual([1, 1]);

      await write((writer) => writer.unite([{ from: one, into: other }]));
      expect(await world.store.unjoined(other)).toEqual(kept.map((each) => ({ ...each, person: other })));
      const many = Array.from({ length: 25 }, (_, i) => unjoined(`m${i}`, 10 + i, { person: other }));
      await write((writer) => writer.putUnjoined(many));
      expect((await world.store.unjoined(other)).map(({ id }) => id)).toEqual(
        many
          .slice(5)
          .reverse()
          .map(({ id }) => id),
      );
      expect([await world.store.countUnjoined('s', 99), await world.store.countUnjoined('s', 7)]).toEqual([20, 7]);

      // Erased by the id, and by the person.
      await write((writer) => writer.erase({ id: 'reg_1', through: [1], ids: [['m24', 'm23']] }, []));
      expect((await world.store.unjoined(other))[0]?.id).toBe('m22');
      await write((writer) => writer.erase({ id: 'reg_2', through: [1], ids: [['x']] }, [other]));
      expect(await world.store.unjoined(other)).toEqual([]);
    });
  });
}
