import fc from 'fast-check';
import type { Condition, TraitDefinition } from '../../packages/server/src/people/definition.ts';
import { DAY, HOUR, START } from './world.ts';

/** One thing that happens in a run; ids of definitions are letters. */
export type Command =
  | { readonly do: 'call'; readonly calls: readonly CommandCall[] }
  | { readonly do: 'take'; readonly count: number; readonly again: number }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'define'; readonly id: string; readonly audience: Condition }
  | { readonly do: 'define'; readonly id: string; readonly trait: TraitDefinition }
  | { readonly do: 'slide' | 'work' | 'settle' | 'crash' | 'fail' | 'rebuild' }
  | { readonly do: 'send'; readonly limit: number; readonly crash: boolean }
  | { readonly do: 'sync' | 'forget'; readonly id: string }
  | { readonly do: 'erase'; readonly ids: readonly string[] };

interface CommandCall {
  readonly sourceId: string;
  /** Milliseconds before now. */
  readonly age: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const user = fc.constantFrom('u1', 'u2', 'u3', 'u4');
const anonymous = fc.constantFrom('a1', 'a2', 'a3');
/** Milliseconds before now; some in the future, many at the edges of windows. */
const age = fc.oneof(
  fc.constantFrom(0, 0, 1, HOUR, HOUR - 1, HOUR + 1, DAY, DAY - 1, DAY + 1, -1, -HOUR, 3 * DAY),
  fc.integer({ min: -2 * DAY, max: 4 * DAY }),
);
const value = fc.constantFrom<unknown>(1, 2, 5, 'pro', 'free', null, true);
const who = fc.oneof(
  user.map((userId) => ({ userId })),
  anonymous.map((anonymousId) => ({ userId: null, anonymousId })),
  fc.record({ userId: user, anonymousId: anonymous }),
);
const said = fc.oneof(
  fc.record({
    type: fc.constant('track'),
    event: fc.constantFrom('Order', 'View'),
    properties: fc.record({ v: value }),
  }),
  fc.record({
    type: fc.constant('track'),
    event: fc.constantFrom('Order', 'View'),
    properties: fc.record({ v: value }),
  }),
  fc.record({ type: fc.constant('page'), name: fc.constantFrom('Home', 'Cart'), properties: fc.constant({}) }),
  fc.record({ type: fc.constant('identify'), traits: fc.dictionary(fc.constantFrom('plan', 'score'), value) }),
  fc.record({
    type: fc.constant('group'),
    groupId: fc.constantFrom('g1', 'g2'),
    traits: fc.dictionary(fc.constantFrom('size', 'tier'), value),
  }),
);
const body = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(who, said).map(([ids, what]) => ({ ...what, ...ids })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.oneof(user, anonymous), user)
      .map(([previous, next]) => ({ type: 'alias', 'Previous ID': previous, 'User ID': next })),
  },
);
const call = fc.record({ sourceId: fc.constantFrom('s1', 's2'), age, body });

const period = fc.option(
  fc.oneof(
    fc.constantFrom({ lastHours: 1 }, { lastHours: 5 }, { lastDays: 1 }, { lastDays: 3 }),
    fc.constant({ from: new Date(START - DAY).toISOString(), to: new Date(START + DAY).toISOString() }),
  ),
  { nil: undefined },
);
const selection = fc.oneof(
  fc.constantFrom(
    { name: 'Order' },
    { name: 'View' },
    { type: 'page' as const },
    { type: 'page' as const, name: 'Cart' },
  ),
  fc.constant({ name: 'Order', where: [{ property: 'v', is: { greater: 1 } }] }),
);
const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc
    .record({
      event: selection,
      during: period,
      count: fc.option(fc.constantFrom({ atLeast: 2 }, { exactly: 1 }, { atMost: 0 }, { atMost: 1 }), {
        nil: undefined,
      }),
    })
    .map(({ event, during, count }) => ({ event, ...(during && { during }), ...(count && { count }) })),
  fc.constantFrom<Condition>(
    { trait: 'plan', is: { equals: 'pro' } },
    { trait: 'score', is: { greater: 1 } },
    { trait: 'plan', is: { exists: false } },
    { groupTrait: 'size', is: { atLeast: 2 } },
    { groupTrait: 'tier', is: { not: 'pro' } },
    { audience: 'A' },
    { audience: 'B' },
  ),
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  leaf,
  leaf.map((part) => ({ not: part })),
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
  fc.array(leaf, { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
);
/** A condition that surely asks about another audience. */
const asking = (audience: string): fc.Arbitrary<Condition> =>
  fc.tuple(leaf, fc.boolean(), fc.boolean()).map(([part, both, opposite]) => {
    const member: Condition = opposite ? { not: { audience } } : { audience };
    return both ? { all: [member, part] } : { any: [member, part] };
  });

const trait: fc.Arbitrary<TraitDefinition> = fc
  .record({
    compute: fc.constantFrom<TraitDefinition['compute']>(
      ...[{ count: true as const }, { sum: 'v' }, { last: 'v' }, { mostFrequent: 'v' }, { uniqueList: 'v' }],
    ),
    event: selection,
    during: period,
  })
  .map(({ compute, event, during }) => ({ compute, event, ...(during && { during }) }));

/** What can happen. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('call' as const), calls: fc.array(call, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('take' as const), count: fc.integer({ min: 1, max: 5 }), again: fc.nat(4) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.constantFrom(1, HOUR, DAY), fc.nat(2 * DAY)),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('define' as const), id: fc.constantFrom('A', 'B', 'C'), audience: condition }),
      fc.record({ do: fc.constant('define' as const), id: fc.constantFrom('B', 'C'), audience: asking('A') }),
      fc.record({ do: fc.constant('define' as const), id: fc.constant('C'), audience: asking('B') }),
      fc.record({ do: fc.constant('define' as const), id: fc.constantFrom('T', 'U'), trait }),
    ),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('slide' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('work' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('send' as const),
      limit: fc.integer({ min: 1, max: 4 }),
      crash: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('crash' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sync' as const), id: fc.constantFrom('A', 'B', 'T') }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('forget' as const), id: fc.constantFrom('A', 'B', 'C', 'T', 'U') }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rebuild' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('erase' as const),
      ids: fc.array(fc.oneof(user, anonymous), { minLength: 1, maxLength: 2 }),
    }),
  },
);

/** Definitions of every kind, two of which ask about another, so that most of what happens matters to one of them. */
export const beginning: fc.Arbitrary<readonly Command[]> = fc
  .tuple(condition, asking('A'), fc.oneof(asking('A'), asking('B')), trait)
  .map(([a, b, c, t]) => [
    { do: 'define', id: 'A', audience: a },
    { do: 'define', id: 'B', audience: b },
    { do: 'define', id: 'C', audience: c },
    { do: 'define', id: 'T', trait: t },
  ]);
