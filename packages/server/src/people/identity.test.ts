import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isPlaceholderId } from '../core/placeholder-ids.ts';
import { type Call, readCall } from './call.ts';
import type { Identity } from './contract.ts';
import { canonicalUserId, idsOf, linkCalls, mayBeNew, mayJoin } from './identity.ts';
import { IDENTITY_RULES, type IdentityRules } from './identity-rules.ts';

interface Ids {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly previousId?: string;
  /** Of a source whose key is public; else of a server's. */
  readonly web?: true;
}

function callOf({ userId, anonymousId, previousId, web }: Ids, at: number): Call {
  const said = { type: previousId === undefined ? 'identify' : 'alias', traits: {} } as Call['said'];
  const ids = { userId: userId ?? null, anonymousId: anonymousId ?? null, previousId: previousId ?? null };
  return { sourceId: 's', isServer: web !== true, position: 1, at, messageId: 'm', said, ...ids };
}

/** Takes calls in, in batches, as a store would keep what comes of them. */
class Book {
  readonly identities = new Map<string, Identity>();
  readonly rules: IdentityRules;
  #last = 0;

  constructor(rules: IdentityRules = IDENTITY_RULES) {
    this.rules = rules;
  }

  take(calls: readonly Call[]): void {
    const named = new Set(calls.flatMap(idsOf));
    const known = new Map([...this.identities].filter(([id]) => named.has(id)));
    const joining = new Set(mayJoin(calls, known));
    const whole = [...this.identities.values()].filter(({ person }) => joining.has(person));
    let room = mayBeNew(calls, known);
    const newPerson = (): number => {
      expect(room--).toBeGreaterThan(0);
      return ++this.#last;
    };
    const { changed, unions, persons, unjoined } = linkCalls(calls, { known, whole }, newPerson, this.rules);
    expect(new Set(unjoined.map(({ person, id }) => `${person} ${id}`)).size).toBe(unjoined.length);
    for (const { from, into } of unions) {
      for (const [id, identity] of this.identities) {
        if (identity.person === from) this.identities.set(id, { ...identity, person: into });
      }
    }
    for (const identity of changed) this.identities.set(identity.id, identity);
    for (const [place, person] of persons.entries()) {
      const call = calls[place];
      const isSpokenOf = [...this.identities.values()].some((identity) => identity.person === person);
      expect(isSpokenOf).toBe(call?.userId != null || call?.anonymousId != null);
    }
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
    "an anonymous id that is another user's already: it belongs to the newer one, and joins nobody",
    [
      [1, { userId: 'u', anonymousId: 'a' }],
      [2, { userId: 'v', anonymousId: 'a' }],
    ],
    ['a v → v', 'u → u'],
  ],
  [
    'by the order of the log, whatever the timestamps say',
    [
      [2, { userId: 'v', anonymousId: 'a' }],
      [1, { userId: 'u', anonymousId: 'a' }],
    ],
    ['a u → u', 'v → v'],
  ],
  [
    'a user id that is called anonymous',
    [
      [1, { userId: 'victim' }],
      [2, { userId: 'thief', anonymousId: 'victim', web: true }],
    ],
    ['thief → thief', 'victim → victim'],
  ],
  [
    'an anonymous id that turns out to be a user leaves the one it was given to',
    [
      [1, { userId: 'thief', anonymousId: 'customer', web: true }],
      [2, { userId: 'customer' }],
    ],
    ['customer → customer', 'thief → thief'],
  ],
  [
    'an anonymous id that becomes the user id of the same person',
    [
      [1, { anonymousId: 'a' }],
      [2, { userId: 'a' }],
    ],
    ['a → a'],
  ],
  [
    'an alias of a public key: an anonymous id that was seen',
    [
      [1, { anonymousId: 'a', web: true }],
      [2, { previousId: 'a', userId: 'u', web: true }],
    ],
    ['a u → u'],
  ],
  [
    'an alias of a public key: nobody else',
    [
      [1, { userId: 'customer' }],
      [2, { previousId: 'customer', userId: 'thief', web: true }],
      [3, { previousId: 'unseen', userId: 'thief', web: true }],
    ],
    ['customer → customer', 'thief → thief'],
  ],
  [
    "an id that a server left behind is nobody's to take",
    [
      [1, { previousId: 'old', userId: 'u' }],
      [2, { previousId: 'old', userId: 'thief', web: true }],
      [3, { userId: 'thief', anonymousId: 'old', web: true }],
    ],
    ['old u → u', 'thief → thief'],
  ],
  [
    "an alias of a public key changes nobody's name",
    [
      [1, { previousId: 'old', userId: 'new' }],
      [2, { anonymousId: 'a', web: true }],
      [9, { previousId: 'a', userId: 'old', web: true }],
    ],
    ['a new old → new'],
  ],
  [
    "the target of a server's alias before any later user id",
    [
      [1, { previousId: 'v', userId: 'u' }],
      [2, { userId: 'v' }],
    ],
    ['u v → u'],
  ],
])('%s', (_, calls, persons) => {
  expect(personsOf(...calls)).toEqual(persons);
});

test('two hundred customers of a server are not joined by a page', () => {
  const book = new Book();
  const customers = Array.from({ length: 200 }, (_, i) => `customer ${i}`);
  book.take(customers.map((userId) => callOf({ userId }, 1)));
  book.take(customers.map((previousId) => callOf({ previousId, userId: 'thief', web: true }, 2)));
  book.take(customers.map((anonymousId) => callOf({ anonymousId, userId: 'thief', web: true }, 3)));
  expect(book.persons()).toHaveLength(201);
});

test('a person has so many ids and no more', () => {
  const book = new Book({ ...IDENTITY_RULES, anonymousIds: 3, userIds: 2 });
  for (let i = 0; i < 9; i++) book.take([callOf({ userId: 'u', anonymousId: `a${i}` }, i)]);
  for (let i = 0; i < 9; i++)
    book.take([callOf({ anonymousId: `b${i}` }, i), callOf({ previousId: `b${i}`, userId: 'u' }, i)]);
  for (let i = 0; i < 9; i++) book.take([callOf({ previousId: `old ${i}`, userId: 'u' }, i)]);
  book.take([callOf({ userId: 'v' }, 1), callOf({ previousId: 'v', userId: 'u' }, 2)]);
  expect(book.persons()).toContain('a0 a1 a2 old 0 u → u');
  expect(book.persons()).toContain('v → v');
});

test.each([
  '0',
  '-1',
  'null',
  ' NULL ',
  'undefined',
  'None',
  'anonymous',
  'guest',
  '00000000-0000-0000-0000-000000000000',
  '',
])('%j is a placeholder', (id) => expect(isPlaceholderId(id)).toBe(true));

test.each(['1', 'nobody', '-', 'a0', 'annullare', '10', 'u0'])('%j is somebody', (id) => {
  expect(isPlaceholderId(id)).toBe(false);
  expect(isPlaceholderId(id, new Set([id]))).toBe(true);
});

test('the batches make no difference', () => {
  const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const ids: fc.Arbitrary<Ids> = fc.oneof(
    id.map((userId) => ({ userId })),
    id.map((anonymousId) => ({ anonymousId })),
    fc.record({ userId: id, anonymousId: id }),
    fc.record({ userId: id, previousId: id }),
    fc.record({ userId: id, previousId: id, web: fc.constant(true as const) }),
  );
  const calls = fc.array(fc.record({ at: fc.integer({ min: 0, max: 5 }), ids }), { maxLength: 20 });
  const rules = fc.constantFrom(IDENTITY_RULES, { ...IDENTITY_RULES, anonymousIds: 2, userIds: 2 });
  fc.assert(
    fc.property(calls, rules, fc.integer({ min: 2, max: 20 }), (all, bounds, size) => {
      const [one, other] = [new Book(bounds), new Book(bounds)];
      const made = all.map((call) => callOf(call.ids, call.at));
      for (const call of made) one.take([call]);
      for (let i = 0; i < made.length; i += size) other.take(made.slice(i, i + size));
      expect(other.persons()).toEqual(one.persons());
    }),
    { numRuns: 1_000 },
  );
});

test('a delivered message is read as what it says of a person', () => {
  const read = (message: object) =>
    readCall(
      { sourceId: 's', isServer: true, position: 4 },
      JSON.stringify({ timestamp: '2027-01-15T08:00:00.000Z', messageId: 'm', ...message }),
    );
  const common = {
    sourceId: 's',
    isServer: true,
    position: 4,
    at: Date.UTC(2027, 0, 15, 8),
    messageId: 'm',
    previousId: null,
  };
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
    readCall(
      { sourceId: 's', isServer: true, position: 4 },
      JSON.stringify({ type: 'page', userId: 'u', messageId: 'm', timestamp, receivedAt }),
    )?.at;
  expect(at('2027-01-16T08:00:00.000Z')).toBe(Date.UTC(2027, 0, 16, 8));
  expect(at('2027-01-16T08:00:00.001Z')).toBe(Date.parse(receivedAt));
  expect(at('2015-01-01T00:00:00.000Z')).toBe(Date.UTC(2015, 0, 1));
});

test('what is not joined is told, with the reason', () => {
  const rules: IdentityRules = { ...IDENTITY_RULES, anonymousIds: 1, userIds: 2 };
  const calls = [
    callOf({ userId: 'u1', anonymousId: 'a1' }, 1),
    callOf({ userId: 'u2' }, 2),
    callOf({ userId: 'u1', previousId: 'u2', web: true }, 3),
    callOf({ userId: 'u1', previousId: 'never-seen', web: true }, 4),
    callOf({ userId: 'u1', anonymousId: 'a2' }, 5),
    callOf({ userId: 'u1', anonymousId: 'u2' }, 6),
    callOf({ userId: 'u1', previousId: 'u2' }, 7),
    callOf({ userId: 'u1', previousId: 'u3' }, 8),
    callOf({ userId: 'u1', anonymousId: 'a2' }, 9),
  ];
  let last = 0;
  const { unjoined } = linkCalls(calls, { known: new Map(), whole: [] }, () => ++last, rules);
  expect(unjoined.map(({ id, why, at, person, sourceId }) => [id, why, at, person, sourceId])).toEqual([
    ['u2', 'user', 6, 1, 's'],
    ['never-seen', 'unknown', 4, 1, 's'],
    ['a2', 'limit', 9, 1, 's'],
    ['u3', 'limit', 8, 1, 's'],
  ]);
});

test('what is not joined to two persons that become one is told once, as it was said last', () => {
  const calls = [
    callOf({ userId: 'u1', previousId: 'a1', web: true }, 1),
    callOf({ userId: 'u2', previousId: 'a1', web: true }, 2),
    callOf({ userId: 'u1', previousId: 'u2' }, 3),
  ];
  let last = 0;
  const { unjoined } = linkCalls(calls, { known: new Map(), whole: [] }, () => ++last);
  expect(unjoined).toEqual([{ person: 1, id: 'a1', sourceId: 's', why: 'unknown', at: 2 }]);
});
