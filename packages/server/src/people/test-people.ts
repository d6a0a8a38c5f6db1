import fc from 'fast-check';
import { readInstant } from '../core/instant.ts';
import type { JsonObject } from '../core/json.ts';
import type { Scalar, Test } from '../core/value-test.ts';
import type { Condition, EventCondition, EventSelection, Period } from './definition.ts';
import type { Person, PersonEvent } from './person.ts';

/** Random people and definitions for property tests, and what a reader of definition.ts would say about them. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 10, 21, 12);

/** Whole hours around one noon and a millisecond beside them: the edges of windows meet often. */
export const moment: fc.Arbitrary<number> = fc
  .tuple(fc.integer({ min: -75, max: 40 }), fc.constantFrom(0, 0, 0, -1, 1))
  .map(([hours, beside]) => NOON + hours * HOUR + beside);

const time = fc.oneof(
  moment.map((at) => new Date(at).toISOString()),
  fc.constantFrom('2026-11-21', '2026-11-21T13:00:00+01:00', '2026-11-20T12:00:00Z'),
);

const TEXTS = [
  '',
  'a',
  'shoes',
  'SHOES',
  'red shoes',
  '1',
  'null',
  'true',
  'ÄÖ',
  'äö',
  'İx',
  '\ud800',
  'a"b',
  '東京',
  'yesterday',
];
const NUMBERS = [0, 1, -1, 1.5, 2, 0.1, 1e21, 9_007_199_254_740_991, 5e-324, 1.7976931348623157e308];

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom<Scalar>(...TEXTS, ...NUMBERS, true, false, null),
  time,
  moment,
);

const value: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ b: scalar }) },
);

const PROPERTIES = ['a', 'b', 'a.b', '__proto__', 'constructor'];

/** As JSON.parse makes it of hostile text too: with a key `__proto__` of its own. */
const properties: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(fc.constantFrom(...PROPERTIES), value), { maxLength: 3 })
  .map((fields) => JSON.parse(`{${fields.map(([key, of]) => `${JSON.stringify(key)}:${JSON.stringify(of)}`).join()}}`));

const TYPES = ['track', 'page', 'screen'] as const;
const NAMES = ['Buy', 'View', '__proto__'];

const event: fc.Arbitrary<PersonEvent> = fc.record({
  at: moment,
  type: fc.constantFrom('track', 'track', ...TYPES),
  name: fc.constantFrom(...NAMES, null),
  properties,
  messageId: fc.uuid(),
});

const TRAITS = ['plan', 'since', '__proto__'];

const traitMap = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<Map<string, T>> =>
  fc.array(fc.tuple(fc.constantFrom(...TRAITS), of), { maxLength: 3 }).map((entries) => new Map(entries));

export const person: fc.Arbitrary<Person> = fc.record({
  traits: traitMap(fc.record({ value: value.map(throughJson), at: moment })),
  groups: fc
    .array(fc.tuple(fc.constantFrom('g1', 'g2', 'g3'), traitMap(value.map(throughJson))), { maxLength: 3 })
    .map((entries) => new Map(entries)),
  events: fc.array(event, { maxLength: 8 }).map((events) => events.map(aptlyNamed).sort(byTime)),
  audiences: fc.subarray(['vip', 'new']).map((ids) => new Set(ids)),
});

/** A track event has a name. */
function aptlyNamed(of: PersonEvent): PersonEvent {
  return of.type === 'track' && of.name === null ? { ...of, name: 'Buy' } : of;
}

function byTime(one: PersonEvent, other: PersonEvent): number {
  return one.at - other.at || (one.messageId < other.messageId ? -1 : 1);
}

function throughJson(of: unknown): unknown {
  return JSON.parse(JSON.stringify(of));
}

const anyTest: fc.Arbitrary<Test> = fc.oneof(
  scalar.map((equals) => ({ equals })),
  scalar.map((not) => ({ not })),
  fc
    .constantFrom(...TEXTS.filter((text) => text !== '' && text.isWellFormed()), 'hoe', 'ä')
    .map((contains) => ({ contains })),
  fc.array(scalar, { minLength: 1, maxLength: 4 }).map((list) => ({ in: list })),
  fc.constantFrom(...NUMBERS).map((greater) => ({ greater })),
  fc.constantFrom(...NUMBERS).map((atLeast) => ({ atLeast })),
  fc.constantFrom(...NUMBERS).map((less) => ({ less })),
  fc.constantFrom(...NUMBERS).map((atMost) => ({ atMost })),
  fc.boolean().map((exists) => ({ exists })),
  time.map((before) => ({ before })),
  time.map((after) => ({ after })),
  fc.integer({ min: 1, max: 3 }).map((withinDays) => ({ withinDays })),
);

export const selection: fc.Arbitrary<EventSelection> = fc
  .record({
    type: fc.constantFrom(undefined, ...TYPES),
    name: fc.constantFrom(...NAMES, undefined),
    where: fc.oneof(
      fc.constant(undefined),
      fc.array(fc.record({ property: fc.constantFrom(...PROPERTIES, 'a.x'), is: anyTest }), {
        minLength: 1,
        maxLength: 2,
      }),
    ),
  })
  .map(({ type, name, where }) => ({
    ...(type && { type }),
    ...(name === undefined ? (type ?? 'track') === 'track' && { name: 'Buy' } : { name }),
    ...(where && { where }),
  }));

export const period: fc.Arbitrary<Period | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.integer({ min: 1, max: 30 }).map((lastHours) => ({ lastHours })),
  fc.integer({ min: 1, max: 40 }).map((lastDays) => ({ lastDays })),
  fc.tuple(moment, moment).map((times) => {
    const [from = 0, to = 0] = [...times].sort((a, b) => a - b);
    return { from: new Date(from).toISOString(), to: new Date(to + 1).toISOString() };
  }),
  moment.map((from) => ({ from: new Date(from).toISOString() })),
  moment.map((to) => ({ to: new Date(to).toISOString() })),
);

const times = fc.integer({ min: 0, max: 3 });

const eventCondition: fc.Arbitrary<EventCondition> = fc
  .record({
    event: selection,
    count: fc.oneof(
      fc.constant(undefined),
      times.map((n) => ({ atLeast: n + 1 })),
      times.map((exactly) => ({ exactly })),
      times.map((atMost) => ({ atMost })),
    ),
    during: period,
  })
  .map((of) => ({ event: of.event, ...(of.count && { count: of.count }), ...(of.during && { during: of.during }) }));

/** A condition without parts. */
export const leaf: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 3, arbitrary: eventCondition },
  { weight: 2, arbitrary: fc.record({ trait: fc.constantFrom(...TRAITS), is: anyTest }) },
  { weight: 1, arbitrary: fc.record({ groupTrait: fc.constantFrom(...TRAITS), is: anyTest }) },
  { weight: 1, arbitrary: fc.record({ audience: fc.constantFrom('vip', 'new', 'unknown') }) },
);

export const condition: fc.Arbitrary<Condition> = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { minLength: 1, maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not })),
  ),
})).tree;

/** Whether a condition holds, read word by word from definition.ts. */
export function naively(of: Condition, who: Person, now: number): boolean {
  if ('all' in of) return of.all.every((part) => naively(part, who, now));
  if ('any' in of) return of.any.some((part) => naively(part, who, now));
  if ('not' in of) return !naively(of.not, who, now);
  if ('audience' in of) return who.audiences.has(of.audience);
  if ('trait' in of) return testNaively(of.is, who.traits.get(of.trait)?.value, now);
  if ('groupTrait' in of) {
    const values = [...who.groups.values()].map((traits) => traits.get(of.groupTrait));
    const denies = 'not' in of.is || ('exists' in of.is && !of.is.exists);
    return denies
      ? values.every((each) => testNaively(of.is, each, now))
      : values.some((each) => testNaively(of.is, each, now));
  }
  const count = countedNaively(of.event, of.during, who, now).length;
  const wanted = of.count ?? { atLeast: 1 };
  if ('atLeast' in wanted) return count >= wanted.atLeast;
  return 'exactly' in wanted ? count === wanted.exactly : count <= wanted.atMost;
}

/** The events that count, oldest first. */
export function countedNaively(
  of: EventSelection,
  during: Period | undefined,
  who: Person,
  now: number,
): readonly PersonEvent[] {
  return who.events.filter((each) => {
    if (each.at > now || each.type !== (of.type ?? 'track')) return false;
    if (of.name !== undefined && of.name !== each.name) return false;
    if (during && 'lastHours' in during && each.at <= now - during.lastHours * HOUR) return false;
    if (during && 'lastDays' in during && each.at <= now - during.lastDays * DAY) return false;
    if (during && 'from' in during && during.from && each.at < Date.parse(during.from)) return false;
    if (during && 'to' in during && during.to && each.at >= Date.parse(during.to)) return false;
    return (of.where ?? []).every(({ property, is }) =>
      testNaively(is, propertyNaively(each.properties, property), now),
    );
  });
}

export function propertyNaively(of: JsonObject, path: string): unknown {
  const flat = new Map(Object.entries(of));
  if (flat.has(path)) return flat.get(path);
  const [first = '', ...rest] = path.split('.');
  const below = flat.get(first);
  if (rest.length === 0 || typeof below !== 'object' || below === null || Array.isArray(below)) return undefined;
  return new Map(Object.entries(below)).get(rest.join('.'));
}

function testNaively(is: Test, of: unknown, now: number): boolean {
  const [[name, wanted] = ['', undefined]] = Object.entries(is);
  const at = readInstant(of);
  switch (name) {
    case 'equals':
      return JSON.stringify(of) === JSON.stringify(wanted);
    case 'not':
      return JSON.stringify(of) !== JSON.stringify(wanted);
    case 'contains': {
      const part = String(wanted).toLowerCase();
      if (Array.isArray(of)) return of.some((item) => typeof item === 'string' && item.toLowerCase() === part);
      return typeof of === 'string' && of.toLowerCase().indexOf(part) !== -1;
    }
    case 'in':
      return (wanted as Scalar[]).some((each) => JSON.stringify(each) === JSON.stringify(of));
    case 'greater':
      return typeof of === 'number' && of > Number(wanted);
    case 'atLeast':
      return typeof of === 'number' && of >= Number(wanted);
    case 'less':
      return typeof of === 'number' && of < Number(wanted);
    case 'atMost':
      return typeof of === 'number' && of <= Number(wanted);
    case 'exists':
      return wanted ? of !== undefined && of !== null : of === undefined || of === null;
    case 'before':
      return at < readInstant(wanted);
    case 'after':
      return at > readInstant(wanted);
    case 'withinDays':
      return at <= now && at > now - Number(wanted) * DAY;
    default:
      throw new Error(`no test: ${name}`);
  }
}

/**
 * Every moment after `now` at which anything about this person can change under a definition, ascending: times of events
 * and in their values, and each of them a window later.
 */
export function turningPoints(definition: object, who: Person, now: number): readonly number[] {
  const texts = [
    JSON.stringify([...who.events]),
    JSON.stringify([...who.traits]),
    JSON.stringify([...who.groups].map(([, of]) => [...of])),
  ];
  const numbers = texts.flatMap((text) => text.match(/\d{13}(?!\d)/g) ?? []).map(Number);
  const dates = texts.flatMap((text) => text.match(/(?<=")\d{4}-\d\d-\d\d[^"]*/g) ?? []).map(readInstant);
  const windows = [...JSON.stringify(definition).matchAll(/"(lastHours|lastDays|withinDays)":(\d+)/g)];
  const lengths = [0, ...windows.map(([, unit, n]) => Number(n) * (unit === 'lastHours' ? HOUR : DAY))];
  const points = [...numbers, ...dates].flatMap((at) => lengths.map((length) => at + length));
  return [...new Set(points)].filter((at) => at > now).sort((a, b) => a - b);
}
