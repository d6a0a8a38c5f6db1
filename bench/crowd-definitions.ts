import type { Condition, EventCondition, Period, TraitDefinition } from '../packages/server/src/people/definition.ts';

/** An audience or a computed trait of the crowd, as the engine takes it. */
export interface CrowdDefinition {
  readonly id: string;
  readonly name: string;
  readonly what: { readonly audience: Condition } | { readonly trait: TraitDefinition };
}

const HOUR: Period = { lastHours: 1 };
const WEEK: Period = { lastDays: 7 };
const MONTH: Period = { lastDays: 30 };

/** Fifty audiences and twenty traits, of what a shop asks about its visitors. */
export function crowdDefinitions(): readonly CrowdDefinition[] {
  const audiences = [...counts(), ...properties(), ...persons(), ...visits(), ...absences(), ...mixed()];
  const nested: readonly Condition[] = [
    { all: [{ audience: audienceId(1) }, { audience: audienceId(20) }] },
    { all: [{ audience: audienceId(2) }, { not: { audience: audienceId(5) } }] },
    { any: [{ audience: audienceId(13) }, { audience: audienceId(14) }] },
    { not: { any: [{ audience: audienceId(19) }, { audience: audienceId(36) }] } },
    { all: [{ audience: audienceId(46) }, { trait: 'age', is: { less: 30 } }] },
  ];
  return [
    ...[...audiences, ...nested].map((audience, i) => {
      return { id: audienceId(i + 1), name: `Audience ${i + 1}`, what: { audience } };
    }),
    ...traits().map((trait, i) => ({ id: `trt_crowd${i + 1}`, name: `Trait ${i + 1}`, what: { trait } })),
  ];
}

function audienceId(number: number): string {
  return `aud_crowd${number}`;
}

/** How often in an hour, a week, a month: 12. */
function counts(): readonly Condition[] {
  const atLeast = [
    ['Order Completed', [1, 1, 2]],
    ['Product Added', [1, 2, 3]],
    ['Product Viewed', [3, 3, 5]],
    ['Signed In', [1, 1, 2]],
  ] as const;
  return atLeast.flatMap(([name, times]) =>
    [HOUR, WEEK, MONTH].map((during, i) => did(name, during, { atLeast: times[i] ?? 1 })),
  );
}

/** 6. */
function properties(): readonly Condition[] {
  const where = (name: string, during: Period, property: string, is: NonNullable<Where>[number]['is']): Condition => {
    return { event: { name, where: [{ property, is }] }, during };
  };
  return [
    where('Order Completed', MONTH, 'total', { atLeast: 200 }),
    where('Order Completed', { lastDays: 90 }, 'total', { less: 50 }),
    where('Product Viewed', WEEK, 'category', { equals: 'garden' }),
    where('Product Added', MONTH, 'category', { in: ['books', 'music'] }),
    where('Product Added', HOUR, 'price', { greater: 50 }),
    where('Product Added', MONTH, 'productId', { contains: 'p-1' }),
  ];
}

type Where = EventCondition['event']['where'];

/** Traits of persons and of their companies: 11. */
function persons(): readonly Condition[] {
  return [
    { trait: 'plan', is: { equals: 'pro' } },
    { trait: 'plan', is: { not: 'pro' } },
    { trait: 'country', is: { in: ['AT', 'DE', 'CH'] } },
    { trait: 'age', is: { atLeast: 50 } },
    { trait: 'email', is: { contains: '@mail.' } },
    { trait: 'joinedAt', is: { withinDays: 120 } },
    {
      all: [
        { trait: 'newsletter', is: { equals: true } },
        { trait: 'country', is: { equals: 'FR' } },
      ],
    },
    {
      any: [
        { trait: 'age', is: { less: 20 } },
        { trait: 'phone', is: { exists: true } },
      ],
    },
    { groupTrait: 'employees', is: { atLeast: 250 } },
    { groupTrait: 'industry', is: { equals: 'retail' } },
    {
      all: [
        { groupTrait: 'industry', is: { equals: 'software' } },
        { trait: 'plan', is: { equals: 'pro' } },
      ],
    },
  ];
}

/** Pages and screens: 5. */
function visits(): readonly Condition[] {
  return [
    { event: { type: 'page', name: 'Pricing' }, during: WEEK },
    { event: { type: 'page', name: 'Category' }, count: { atLeast: 5 }, during: MONTH },
    { event: { type: 'page' }, count: { atLeast: 20 }, during: { lastDays: 90 } },
    { event: { type: 'screen', name: 'Basket' }, during: MONTH },
    { event: { type: 'page', name: 'Home' }, count: { atLeast: 4 }, during: { lastHours: 24 } },
  ];
}

/** Who did one thing and not another, or nothing at all: 6. */
function absences(): readonly Condition[] {
  const without = (name: string, other: string, during: Period): Condition => {
    return { all: [did(name, during), { not: did(other, during) }] };
  };
  return [
    without('Product Added', 'Order Completed', HOUR),
    without('Product Added', 'Order Completed', WEEK),
    without('Video Played', 'Product Added', MONTH),
    did('Order Completed', { lastDays: 90 }, { exactly: 0 }),
    did('Signed In', MONTH, { atMost: 1 }),
    { not: { event: { type: 'page', name: 'Pricing' }, during: MONTH } },
  ];
}

/** 5. */
function mixed(): readonly Condition[] {
  const pro: Condition = { trait: 'plan', is: { equals: 'pro' } };
  return [
    { all: [pro, did('Order Completed', MONTH)] },
    { all: [pro, did('Product Viewed', WEEK, { atLeast: 2 }), { trait: 'country', is: { in: ['AT', 'DE'] } }] },
    { all: [{ not: pro }, did('Order Completed', { lastDays: 90 }, { atLeast: 2 })] },
    { any: [{ groupTrait: 'employees', is: { greater: 400 } }, did('Order Completed', MONTH, { atLeast: 3 })] },
    { all: [{ trait: 'age', is: { less: 40 } }, did('Product Added', WEEK), { not: did('Signed In', WEEK) }] },
  ];
}

function traits(): readonly TraitDefinition[] {
  const orders = { name: 'Order Completed' };
  const added = { name: 'Product Added' };
  return [
    { compute: { count: true }, event: orders },
    { compute: { count: true }, event: orders, during: MONTH },
    { compute: { sum: 'total' }, event: orders },
    { compute: { sum: 'total' }, event: orders, during: MONTH },
    { compute: { average: 'total' }, event: orders },
    { compute: { min: 'total' }, event: orders },
    { compute: { max: 'total' }, event: orders },
    { compute: { mostFrequent: 'category' }, event: orders },
    { compute: { first: 'productId' }, event: orders },
    { compute: { last: 'productId' }, event: orders },
    { compute: { uniqueList: 'category' }, event: orders },
    { compute: { uniqueCount: 'productId' }, event: orders },
    { compute: { count: true }, event: added, during: WEEK },
    { compute: { last: 'category' }, event: added },
    { compute: { max: 'price' }, event: added, during: MONTH },
    { compute: { mostFrequent: 'category' }, event: added },
    { compute: { last: 'title' }, event: { type: 'page', name: 'Pricing' } },
    { compute: { count: true }, event: { name: 'Signed In' }, during: MONTH },
    { compute: { count: true }, event: { type: 'page', name: 'Pricing' } },
    { compute: { average: 'seconds' }, event: { name: 'Video Played' } },
  ];
}

function did(name: string, during: Period, count: NonNullable<EventCondition['count']> = { atLeast: 1 }): Condition {
  return { event: { name }, count, during };
}
