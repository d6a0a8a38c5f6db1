import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Call, readCall } from './call.ts';
import type { Identity } from './contract.ts';
import { canonicalUserId, idsOf, linkCalls } from './identity.ts';

interface Ids {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
}

function callOf({ userId, anonymousId, previousId }: Ids, at: number): Call {
  const said = { type: previousId === undefined ? 'identify' : 'alias', traits: {} } as Call['said'];
  const ids = { userId: userId ?? null, anonymousId: anonymousId ?? null, previousId: previousId ?? null };
  return { sourceId: 's', position: 1, at, messageId: 'm', said, ...ids };
}

/** Takes calls in, in batches, as a store would keep what comes of them. */
class Book {
  readonly identities = new Map<string, Identity>();
  #last = 0;

  take(calls: readonly Call[]): void {
    const known = calls.flatMap(idsOf).flatMap((id) => this.identities.get(id) ?? []);
    const { changed, unions, personOf } = linkCalls(calls, known, () => ++this.#last);
    for (const { from, into } of unions) {
      for (const [id, identity] of this.identities) {
        if (identity.person === from) this.identities.set(id, { ...identity, person: into });
      }
    }
    for (const identity of changed) this.identities.set(identity.id, identity);
    for (const [id, person] of personOf) expect(this.identities.get(id)?.person).toBe(person);
  }

  /** The ids of each person and the one they are spoken to by, without the persons' numbers. */
  persons(): string[] {
    const persons = Map.groupBy(this.identities.values(), ({ person }) => person);
    return [...persons.values()]
      .map(
        (ids) =>
          `${ids
            .map(({ id }) => id)
            .toSorted()
            .join(' ')} → ${canonicalUserId(ids)}`,
      )
      .toSorted();
  }
}

function personsOf(...calls: readonly (readonly [at: number, ids: Ids])[]): string[] {
  const book = new Book();
  for (const [at, ids] of calls) book.take([callOf(ids, at)]);
  return book.persons();
}

test.each<[what: string, calls: (readonly [number, Ids])[], persons: string[]]>([
  ['a user', [[1, { userId: 'u' }]], ['u → u']],
  ['somebody unknown', [[1, { anonymousId: 'a' }]], ['a → null']],
  ['a call that carries two ids', [[1, { userId: 'u', anonymousId: 'a' }]], ['a u → u']],
  [
    'two that have nothing to do with each other',
    [
      [1, { userId: 'u' }],
      [2, { anonymousId: 'a' }],
    ],
    ['a → null', 'u → u'],
  ],
  [
    'a link after the fact',
    [
      [1, { userId: 'u' }],
      [2, { anonymousId: 'a' }],
      [3, { userId: 'u', anonymousId: 'a' }],
    ],
    ['a u → u'],
  ],
  [
    'an alias',
    [
      [1, { userId: 'old' }],
      [2, { previousId: 'old', userId: 'new' }],
    ],
    ['new old → new'],
  ],
  ['an alias of an id nobody has seen', [[2, { previousId: 'old', userId: 'new' }]], ['new old → new']],
  [
    'an alias that comes first and happened last',
    [
      [9, { previousId: 'old', userId: 'new' }],
      [1, { userId: 'old' }],
    ],
    ['new old → new'],
  ],
  [
    'aliases in a circle',
    [
      [1, { previousId: 'a', userId: 'b' }],
      [2, { previousId: 'b', userId: 'c' }],
      [3, { previousId: 'c', userId: 'a' }],
    ],
    ['a b c → a'],
  ],
  ['an alias of oneself', [[1, { previousId: 'a', userId: 'a' }]], ['a → a']],
  [
    'the user id that came up last',
    [
      [1, { userId: 'u', anonymousId: 'a' }],
      [2, { userId: 'v', anonymousId: 'a' }],
    ],
    ['a u v → v'],
  ],
  [
    'not the one that was used last',
    [
      [1, { userId: 'u', anonymousId: 'a' }],
      [2, { userId: 'v', anonymousId: 'a' }],
      [3, { userId: 'u' }],
    ],
    ['a u v → v'],
  ],
  [
    'the target of an alias before any later user id',
    [
      [1, { previousId: 'a', userId: 'u' }],
      [2, { userId: 'v', anonymousId: 'a' }],
    ],
    ['a u v → u'],
  ],
  [
    'the greater of two ids of one moment',
    [
      [1, { userId: 'u', anonymousId: 'a' }],
      [1, { userId: 'v', anonymousId: 'a' }],
    ],
    ['a u v → v'],
  ],
])('%s', (_, calls, persons) => {
  expect(personsOf(...calls)).toEqual(persons);
});

test('the order of arrival and the batches make no difference', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j');
  const ids = fc.oneof(
    fc.record({ userId: id, anonymousId: id }, { requiredKeys: [] }).filter((one) => Object.keys(one).length > 0),
    fc.record({ userId: id, previousId: id }),
  );
  const calls = fc.array(fc.record({ at: fc.integer({ min: 0, max: 5 }), ids }), { maxLength: 14 });
  fc.assert(
    fc.property(
      calls.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length }))),
      fc.integer({ min: 1, max: 5 }),
      ([some, shuffled], size) => {
        const one = new Book();
        for (const call of some) one.take([callOf(call.ids, call.at)]);
        const other = new Book();
        for (let i = 0; i < shuffled.length; i += size) {
          other.take(shuffled.slice(i, i + size).map((call) => callOf(call.ids, call.at)));
        }
        expect(other.persons()).toEqual(one.persons());
      },
    ),
    { numRuns: 500 },
  );
});

test('a delivered message is read as what it says of a person', () => {
  const read = (message: object) =>
    readCall('s', 4, JSON.stringify({ timestamp: '2027-01-15T08:00:00.000Z', messageId: 'm', ...message }));
  const common = { sourceId: 's', position: 4, at: Date.UTC(2027, 0, 15, 8), messageId: 'm', previousId: null };
  expect(read({ type: 'track', userId: null, anonymousId: 'a', event: 'E', properties: { v: 1 } })).toEqual({
    ...common,
    ...{ userId: null, anonymousId: 'a', said: { type: 'track', name: 'E', properties: { v: 1 } } },
  });
  expect(read({ type: 'page', userId: 'u' })).toEqual({
    ...common,
    ...{ userId: 'u', anonymousId: null, said: { type: 'page', name: null, properties: {} } },
  });
  expect(read({ type: 'alias', 'Previous ID': 'p', 'User ID': 'u' })).toEqual({
    ...common,
    ...{ userId: 'u', anonymousId: null, previousId: 'p', said: { type: 'alias' } },
  });
  expect(read({ type: 'delete', userId: 'u' })).toBeNull();
});

test('a call of the future is taken for one of when it was received', () => {
  const receivedAt = '2027-01-15T08:00:00.000Z';
  const at = (timestamp: string) =>
    readCall('s', 4, JSON.stringify({ type: 'page', userId: 'u', messageId: 'm', timestamp, receivedAt }))?.at;
  expect(at('2027-01-16T08:00:00.000Z')).toBe(Date.UTC(2027, 0, 16, 8));
  expect(at('2027-01-16T08:00:00.001Z')).toBe(Date.parse(receivedAt));
  expect(at('2015-01-01T00:00:00.000Z')).toBe(Date.UTC(2015, 0, 1));
});
