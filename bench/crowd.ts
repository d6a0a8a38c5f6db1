import type { JsonObject } from '../packages/server/src/core/json.ts';

/**
 * The persons of the people scenario and what they do: a web shop's visitors. Everything follows from their numbers, so the
 * same crowd is made again wherever it is needed.
 */

/** What one person did, before the clock of the measurement began. */
export interface PastCall {
  /** As a delivered message has it, without messageId. */
  readonly message: JsonObject;
  /** Milliseconds before the end of the past. */
  readonly ago: number;
}

const EVENTS_PER_PERSON = 10;

const DAY = 86_400_000;
const PAST_DAYS = 90;
const GROUP_SIZE = 50;

/** Of a hundred calls, how many are of each kind; null: they say something of the person. */
const KINDS: readonly (readonly [share: number, kind: Kind | null])[] = [
  [23, { type: 'page', name: 'Home' }],
  [18, { type: 'page', name: 'Category' }],
  [13, { type: 'page', name: 'Article' }],
  [1, { type: 'page', name: 'Pricing' }],
  [22, { type: 'track', name: 'Product Viewed' }],
  [8, { type: 'track', name: 'Products Filtered' }],
  [6, { type: 'track', name: 'Search Performed' }],
  [3, { type: 'track', name: 'Video Played' }],
  [2, { type: 'track', name: 'Product Added' }],
  [1, { type: 'track', name: 'Signed In' }],
  [1, { type: 'track', name: 'Order Completed' }],
  [1, { type: 'screen', name: 'Basket' }],
  [1, null],
];

const CATEGORIES = ['kitchen', 'light', 'garden', 'books', 'toys', 'tools', 'music', 'sport'] as const;
const COUNTRIES = ['AT', 'DE', 'CH', 'FR', 'IT', 'PL', 'SE', 'US'] as const;

interface Kind {
  readonly type: 'track' | 'page' | 'screen';
  readonly name: string;
}

/** As the load generator writes them. */
function userId(person: number): string {
  return `user-${String(person).padStart(6, '0')}`;
}

function anonymousId(person: number): string {
  return `6f1b8a5e-4c83-4f0e-9d27-${String(person).padStart(12, '0')}`;
}

/** Calls of one visit, and how many calls of others lie between two of them. */
const VISIT_CALLS = 5;
const BETWEEN = 20_003;

/** Who makes the call of a number: visits of five calls, side by side with twenty thousand others, in no order. */
export function visitor(number: number, persons: number): number {
  const visit = Math.floor(number / (VISIT_CALLS * BETWEEN)) * BETWEEN + (number % BETWEEN);
  return (visit * 611_953) % persons;
}

/** All a person said and did, oldest first: who they are, for one in three the company they belong to, then events. */
export function pastOf(person: number): readonly PastCall[] {
  const random = sequence(person);
  const who = { userId: userId(person), anonymousId: anonymousId(person) };
  const joined = 1 + random(PAST_DAYS * 4);
  const calls: PastCall[] = [
    { message: { ...who, type: 'identify', traits: traitsOf(joined, random) }, ago: PAST_DAYS * DAY },
  ];
  if (person % 3 === 0) {
    const group = Math.floor(person / GROUP_SIZE);
    const traits = { employees: (group * 37) % 500, industry: group % 2 === 0 ? 'retail' : 'software' };
    calls.push({ message: { ...who, type: 'group', groupId: `company-${group}`, traits }, ago: PAST_DAYS * DAY });
  }
  const times = Array.from({ length: EVENTS_PER_PERSON }, () => random(PAST_DAYS * DAY)).sort((a, b) => b - a);
  for (const ago of times) calls.push({ message: { ...who, ...callOf(kindOf(random(99)), random) }, ago });
  return calls;
}

/** The kind of an event, of a number below 100. */
function kindOf(percent: number): Kind | null {
  let rest = percent;
  for (const [share, kind] of KINDS) {
    if (rest < share) return kind;
    rest -= share;
  }
  throw new Error(`${percent} is not below 100`);
}

/** A hundred calls in the proportions of the crowd, without who makes them. */
export function liveCalls(): readonly JsonObject[] {
  const random = sequence(1);
  return Array.from({ length: 100 }, (_, i) => {
    // 37 has no divisor in common with 100, so every kind has its share and they take turns.
    const percent = (i * 37) % 100;
    return callOf(kindOf(percent), random);
  });
}

function callOf(kind: Kind | null, random: (below: number) => number): JsonObject {
  if (!kind) return { type: 'identify', traits: traitsOf(1, random) };
  const { type, name } = kind;
  if (type !== 'track')
    return { type, name, properties: { path: `/${name.toLowerCase()}/${random(50)}`, title: name } };
  const properties = {
    productId: `p-${random(5_000)}`,
    category: CATEGORIES[random(CATEGORIES.length)] ?? '',
    price: random(10_000) / 100,
    quantity: 1 + random(4),
    currency: 'EUR',
    ...(name === 'Video Played' ? { seconds: random(600) } : {}),
    ...(name === 'Order Completed' ? { orderId: `A-${random(1e9)}`, total: random(40_000) / 100 } : {}),
  };
  return { type, event: name, properties };
}

function traitsOf(joinedDaysAgo: number, random: (below: number) => number): JsonObject {
  return {
    email: `${random(1e9)}@${random(5) === 0 ? 'mail.example' : 'shop.example'}`,
    plan: random(10) < 2 ? 'pro' : 'free',
    country: COUNTRIES[random(COUNTRIES.length)] ?? '',
    age: 18 + random(60),
    newsletter: random(2) === 0,
    joinedAt: new Date(1_790_000_000_000 - joinedDaysAgo * DAY).toISOString(),
  };
}

/** Whole numbers from 0 that look random and are the same every time (xorshift). */
function sequence(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761 + 1) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
