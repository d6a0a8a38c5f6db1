import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DefinitionError } from '../core/definition-form.ts';
import { checkCondition, checkTrait, LIMITS } from './check-definition.ts';
import { compile } from './evaluate.ts';
import { condition, moment, person } from './test-people.ts';

function errorsOf(input: unknown, check: typeof checkCondition | typeof checkTrait = checkCondition): string[] {
  const checked = check(input);
  return 'errors' in checked ? checked.errors.map(({ path, message }) => `${path}: ${message}`) : [];
}

const buy = { event: { name: 'Buy' } };
const vip = { trait: 'vip', is: { equals: true } };

function nested(levels: number): unknown {
  let tree: unknown = vip;
  for (let i = 1; i < levels; i++) tree = { not: tree };
  return tree;
}

test.each<[string, unknown]>([
  ['a trait', vip],
  ['a page whose title has a space at its end', { event: { type: 'page', name: 'Home ' } }],
  ['the page of any name', { event: { type: 'page' } }],
  ['never', { ...buy, count: { atMost: 0 } }],
  ['a range open at its end', { ...buy, during: { from: '2026-01-01' } }],
  ['the deepest', nested(LIMITS.depth)],
  ['the largest', { any: Array.from({ length: LIMITS.nodes - 1 }, () => vip) }],
  ['the longest name', { trait: 'n'.repeat(LIMITS.name), is: { exists: true } }],
  ['the longest window', { ...buy, during: { lastDays: LIMITS.days } }],
  ['a trait called __proto__', { trait: '__proto__', is: { in: ['', null, 1, false] } }],
])('%s is a condition', (_name, input) => {
  expect(checkCondition(input)).toEqual({ value: input });
});

const WHOLE = 'an object with exactly one of all, any, not, trait, groupTrait, event, audience';

test.each<[unknown, string]>([
  [null, `: must be a condition, ${WHOLE}`],
  [[], `: must be a condition, ${WHOLE}`],
  [{}, `: must be a condition, ${WHOLE}`],
  [{ trait: 'a', event: {}, is: {} }, `: must be a condition, ${WHOLE}: it has trait and event`],
  [{ all: [] }, 'all: must be a list of 1 to 100 items'],
  [{ any: 'x' }, 'any: must be a list of 1 to 100 items'],
  [{ all: Array.from({ length: 101 }, () => vip) }, 'all: must be a list of 1 to 100 items'],
  [{ all: [vip, { not: { any: [7] } }] }, `all.1.not.any.0: must be a condition, ${WHOLE}`],
  [nested(9), `${'not.'.repeat(8).slice(0, -1)}: lies too deep: conditions may be nested 8 levels`],
  [{ ...vip, as: 1 }, 'as: is not a known field; known here: trait, is'],
  [JSON.parse('{"audience":"a","__proto__":1}'), '__proto__: is not a known field; known here: audience'],
  [{ trait: '', is: { equals: 1 } }, 'trait: must be text of 1 to 200 characters'],
  [{ trait: 'n'.repeat(201), is: { equals: 1 } }, 'trait: must be text of 1 to 200 characters'],
  [{ trait: 'a\ud800', is: { equals: 1 } }, 'trait: must not contain NUL or half a character (a lone surrogate)'],
  [{ event: { name: ' ' } }, 'event.name: must not be blank'],
  [{ event: { name: 'Buy ' } }, 'event.name: must not begin or end with a space: names are compared as they are'],
  [{ audience: 'a\0' }, 'audience: must not contain NUL or half a character (a lone surrogate)'],
  [
    { trait: 'a', is: { equals: [] } },
    'is.equals: must be true, false, null, a number or text of at most 1000 characters',
  ],
  [
    { trait: 'a', is: { not: 'x'.repeat(1001) } },
    'is.not: must be true, false, null, a number or text of at most 1000 characters',
  ],
  [{ trait: 'a', is: { contains: '' } }, 'is.contains: must be text of 1 to 1000 characters'],
  [{ trait: 'a', is: { in: [] } }, 'is.in: must be a list of 1 to 100 items'],
  [{ trait: 'a', is: { in: [{}] } }, 'is.in.0: must be true, false, null, a number or text of at most 1000 characters'],
  [JSON.parse('{"trait":"a","is":{"greater":1e999}}'), 'is.greater: must be a number'],
  [{ trait: 'a', is: { less: '3' } }, 'is.less: must be a number'],
  [{ trait: 'a', is: { exists: 1 } }, 'is.exists: must be true or false'],
  [
    { trait: 'a', is: { before: 'soon' } },
    'is.before: must be an ISO 8601 date or date-time, for example 2026-11-21T09:30:00Z',
  ],
  [{ groupTrait: 'a', is: { withinDays: 0 } }, 'is.withinDays: must be a whole number of days from 1 to 3650'],
  [{ trait: 'a', is: { equals: 1, not: 2 } }, /^is: must be a test, .* withinDays: it has equals and not$/.source],
  [{ event: 'Buy' }, 'event: must be an object with name, type or where'],
  [{ event: {} }, 'event.name: is required: the name of a track event'],
  [{ event: { name: 'x', type: 'identify' } }, 'event.type: must be one of track, page, screen'],
  [{ event: { name: 'x', where: [] } }, 'event.where: must be a list of 1 to 100 items'],
  [{ event: { name: 'x', where: [1] } }, 'event.where.0: must be an object with property and is'],
  [{ event: { name: 'x', where: [{ property: 'p' }] } }, 'event.where.0.is: must be a test'],
  [{ ...buy, count: 3 }, 'count: must be a count, an object with exactly one of atLeast, exactly, atMost'],
  [{ ...buy, count: { atLeast: 0 } }, 'count.atLeast: must be a whole number of times from 1 to 10000'],
  [{ ...buy, count: { atMost: -1 } }, 'count.atMost: must be a whole number of times from 0 to 10000'],
  [{ ...buy, count: { exactly: 1.5 } }, 'count.exactly: must be a whole number of times from 0 to 10000'],
  [{ ...buy, during: { lastDays: 3651 } }, 'during.lastDays: must be a whole number of days from 1 to 3650'],
  [{ ...buy, during: { lastHours: 0 } }, 'during.lastHours: must be a whole number of hours from 1 to 87600'],
  [{ ...buy, during: {} }, 'during: must be a period'],
  [
    { ...buy, during: { from: '2026-01-01', lastDays: 1 } },
    'during.lastDays: is not a known field; known here: from, to',
  ],
  [{ ...buy, during: { from: 1 } }, 'during.from: must be an ISO 8601 date or date-time'],
  [{ ...buy, during: { from: '2026-02-01', to: '2026-02-01' } }, 'during: must begin before it ends'],
])('%j is refused', (input, error) => {
  const errors = errorsOf(input);
  expect(errors).toHaveLength(1);
  if (error.startsWith('^')) expect(errors[0]).toMatch(new RegExp(error));
  else expect(errors[0]?.startsWith(error)).toBe(true);
});

test('everything wrong is said at once, each at its place, up to a number', () => {
  expect(
    errorsOf({
      all: [
        { trait: '', is: { less: 'x' } },
        { ...buy, count: {}, during: null },
      ],
    }),
  ).toHaveLength(4);
  const wrong = Array.from({ length: 90 }, () => ({ trait: '' }));
  expect(errorsOf({ all: wrong })).toHaveLength(20);
});

test('too many conditions and tests are refused once, wherever they stand', () => {
  const where = Array.from({ length: 60 }, () => ({ property: 'p', is: { exists: true } }));
  const errors = errorsOf({ all: [{ event: { name: 'a', where } }, { event: { name: 'b', where } }, vip] });
  expect(errors).toEqual(['all.1.event.where.37: is one too many: a definition has at most 100 conditions and tests']);
});

test.each<[unknown, string[]]>([
  [{ compute: { count: true }, event: { name: 'Buy' } }, []],
  [{ compute: { sum: 'total' }, event: { type: 'page' }, during: { lastHours: 3 } }, []],
  [7, [': must be an object with compute and event']],
  [
    { compute: { count: 1, sum: 'x' }, event: { name: 'Buy' } },
    [
      'compute: must be a computation, an object with exactly one of count, sum, average, min, max, mostFrequent, first, last, uniqueList, uniqueCount: it has count and sum',
    ],
  ],
  [{ compute: { count: 1 }, event: { name: 'Buy' } }, ['compute.count: must be true']],
  [
    { compute: { sum: '' }, event: 1, also: 1 },
    [
      'also: is not a known field; known here: compute, event, during',
      'compute.sum: must be text of 1 to 200 characters',
      'event: must be an object with name, type or where',
    ],
  ],
])('trait %j', (input, errors) => {
  expect(errorsOf(input, checkTrait)).toEqual(errors);
});

test('every condition that can be meant passes', () => {
  fc.assert(
    fc.property(condition, (definition) => {
      expect(errorsOf(definition)).toEqual([]);
    }),
  );
});

test('no input makes it throw, and what passes never throws later', () => {
  // Pieces of real conditions in wrong places get further than any JSON does.
  const spoiled = fc.tuple(condition, fc.jsonValue(), fc.nat(40)).map(([tree, piece, place]) => {
    let left = place;
    return JSON.parse(JSON.stringify(tree), (_key, value) => (left-- === 0 ? piece : value));
  });
  const input = fc.oneof(spoiled, fc.jsonValue(), fc.anything());
  fc.assert(
    fc.property(input, person, moment, (given, who, now) => {
      checkTrait(given);
      const checked = checkCondition(given);
      if ('value' in checked) expect(typeof compile(checked.value)(who, now).value).toBe('boolean');
      else
        expect(checked.errors.every(({ path, message }: DefinitionError) => path.length < 700 && message !== '')).toBe(
          true,
        );
    }),
    { numRuns: 2000 },
  );
});

test('hostile depth and size end early', () => {
  expect(errorsOf(nested(100_000))).toHaveLength(1);
  expect(errorsOf({ trait: 'a', is: { in: Array.from({ length: 1_000_000 }, () => 1) } })).toHaveLength(1);
  const path = errorsOf({ ...vip, ['k'.repeat(1_000_000)]: 1 })[0] ?? '';
  expect(path.length).toBeLessThan(200);
});
