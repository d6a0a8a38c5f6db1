import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ProfileWorld } from './conformance.ts';
import type { Definition, ProfileWriter } from './contract.ts';
import type { Condition } from './definition.ts';
import { compile } from './evaluate.ts';
import type { Person } from './person.ts';
import { condition, moment, person } from './test-people.ts';

/** What every `ProfileStore` promises of counts of persons (people/contract.ts), as tests; the first of them tries so many crowds. */
export function countConformance(name: string, open: () => Promise<ProfileWorld>, crowds: number): void {
  describe(`${name} counts persons`, () => {
    let world: ProfileWorld;
    beforeEach(async () => {
      world = await open();
      await world.store.transaction(async (writer) => {
        for (const id of ['vip', 'new']) await writer.putDefinition(audience(id));
      });
    });
    afterEach(() => world.close());

    async function counted(of: Condition, now: number, after: number, upTo: number): Promise<readonly number[]> {
      const { count, sample } = await world.store.count(of, now, { after, upTo }, 10);
      expect(count).toBe(sample.length);
      return sample.map(({ person: id }) => id);
    }

    test('a count names exactly the persons for whom the predicate holds', async () => {
      const crowd = fc.array(person, { minLength: 1, maxLength: 6 });
      const conditions = fc.array(condition, { minLength: 1, maxLength: 8 });
      await fc.assert(
        fc.asyncProperty(crowd, conditions, moment, async (people, definitions, now) => {
          // Those of earlier crowds stay: a count takes in none of them.
          const first = await world.store.transaction((writer) => store(writer, people));
          const last = first + people.length - 1;
          for (const definition of definitions) {
            const holds = compile(definition);
            const members = people.flatMap((who, i) => (holds(who, now).value ? [first + i] : []));
            expect(await counted(definition, now, first - 1, last)).toEqual(members);
            const some = members.filter((id) => id > first && id <= first + 3);
            expect(await counted(definition, now, first, Math.min(first + 3, last))).toEqual(some);
          }
        }),
        { numRuns: crowds },
      );
    }, 240_000);

    test('more persons and events than are read at once are counted', async () => {
      const now = Date.UTC(2026, 10, 21);
      const first = await world.store.transaction(async (writer) => {
        await writer.wipe();
        const persons = await writer.newPersons(12_000);
        await writer.putPersons(persons.map((id) => ({ person: id, userId: null })));
        const event = { at: now - 1, type: 'track', name: 'Buy', properties: { a: 'x' } } as const;
        const crowded = Array.from({ length: 9_000 }, (_, i) => ({
          ...event,
          person: persons[i % 3] ?? 0,
          messageId: `m${i}`,
        }));
        const others = persons.map((id) => ({
          ...event,
          person: id,
          messageId: 'm',
          properties: { a: id % 2 ? 'X' : 'y' },
        }));
        await writer.record({ traits: [], groups: [], groupTraits: [], events: [...crowded, ...others] });
        return persons[0] ?? 0;
      });
      const bought = { event: { name: 'Buy', where: [{ property: 'a', is: { contains: 'x' } }] } };
      const range = { after: first - 1, upTo: first + 11_999 };
      const answer = await world.store.count(bought, now, range, 3);
      const odd = Array.from({ length: 12_000 }, (_, i) => first + i).filter((id, i) => i < 3 || id % 2 === 1);
      expect(answer).toMatchObject({ count: odd.length, persons: 12_000 });
      expect(answer.sample.map(({ person: id }) => id)).toEqual(odd.slice(0, 3));
    });

    test('a name that is no SQL stays a name', async () => {
      const name = "x'; DROP TABLE person; --?";
      const events = [{ at: 1, type: 'track', name, properties: {}, messageId: 'm' } as const];
      const who = {
        traits: new Map([[name, { value: name, at: 1 }]]),
        groups: new Map(),
        events,
        audiences: new Set<string>(),
      };
      const first = await world.store.transaction((writer) => store(writer, [who]));
      const definition: Condition = { all: [{ event: { name } }, { trait: name, is: { equals: name } }] };
      expect(await counted(definition, 2, first - 1, first)).toEqual([first]);
    });
  });
}

/** Answers the number of the first; the others follow. */
async function store(writer: ProfileWriter, people: readonly Person[]): Promise<number> {
  const persons = await writer.newPersons(people.length);
  await writer.putPersons(persons.map((id) => ({ person: id, userId: `u${id}` })));
  for (const [i, { traits, groups, events, audiences }] of people.entries()) {
    const id = persons[i] ?? 0;
    // Each person brings groups of their own: one name means other traits to another person.
    const said = [...groups].map(([group, of]) => ({ groupId: `${id} ${group}`, of }));
    await writer.record({
      traits: [...traits].map(([name, { value, at }]) => ({ person: id, name, value, at, position: 1 })),
      groups: said.map(({ groupId }) => ({ person: id, groupId })),
      groupTraits: said.flatMap(({ groupId, of }) =>
        [...of].map(([name, value]) => ({ groupId, name, value, at: 0, position: 1 })),
      ),
      events: events.map(({ at, type, name, properties, messageId }) => {
        return { person: id, at, type, name, properties, messageId };
      }),
    });
    await writer.decide(
      [...audiences].map((definitionId) => ({ definitionId, person: id, value: 'true', before: null, dueAt: null })),
      0,
    );
  }
  return persons[0] ?? 0;
}

function audience(id: string): Definition {
  return {
    ...{ id, what: { audience: { trait: 'plan', is: { equals: 'pro' } } }, name: id, key: id, sourceId: `src_${id}` },
    ...{ createdAt: 0, updatedAt: 0, job: null, size: 0, sentAt: null },
  };
}
