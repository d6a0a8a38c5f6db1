import { expect, test } from 'vitest';
import type { CallFilter } from '../core/destination.ts';
import type { JsonObject } from '../core/json.ts';
import { checkCallFilter, compileCallFilter } from './call-filter.ts';

const call: JsonObject = JSON.parse(`{
  "type": "track", "event": "Order Completed", "userId": "u1", "anonymousId": "a1", "groupId": null,
  "properties": { "total": 120, "a.b": 1, "a": { "b": 2, "c": 3 }, "tags": ["New", "Sale"], "__proto__": { "x": 1 } },
  "context": { "campaign": { "name": "Spring" }, "sentOn": "2026-11-20" },
  "traits": "none"
}`);

function keptBackBy(filter: CallFilter): string | null {
  expect(checkCallFilter(filter)).toEqual({ value: filter });
  return compileCallFilter(filter)(call, 's1');
}

test.each<[field: string, is: object, passes: boolean]>([
  ['type', { equals: 'track' }, true],
  ['event', { in: ['Order Completed', 'Refund'] }, true],
  ['name', { exists: false }, true],
  ['userId', { not: 'u2' }, true],
  ['anonymousId', { contains: 'A' }, true],
  ['groupId', { exists: true }, false],
  ['source', { equals: 's1' }, true],
  ['source', { equals: 's2' }, false],
  ['properties.total', { greater: 100 }, true],
  ['properties.total', { atLeast: 121 }, false],
  ['properties.total', { less: 100 }, false],
  ['properties.total', { atMost: 120 }, true],
  ['properties.a.b', { equals: 1 }, true],
  ['properties.a.c', { equals: 3 }, true],
  ['properties.tags', { contains: 'sale' }, true],
  ['properties.__proto__.x', { equals: 1 }, true],
  ['properties.constructor', { exists: true }, false],
  ['properties.toString.name', { exists: true }, false],
  ['context.campaign.name', { contains: 'spr' }, true],
  ['context.sentOn', { before: '2026-11-21' }, true],
  ['context.sentOn', { after: '2026-11-21' }, false],
  ['traits.length', { exists: true }, false],
])('%s %j: %s', (field, is, passes) => {
  const filter = { field, is } as CallFilter;
  expect(keptBackBy(filter) === null).toBe(passes);
  expect(keptBackBy({ not: filter }) === null).toBe(!passes);
});

test('an alias has its new id as userId', () => {
  const isNew = compileCallFilter({ field: 'userId', is: { equals: 'new' } });
  expect(isNew({ type: 'alias', 'User ID': 'new' }, 's1')).toBe(null);
});

const no: CallFilter = { field: 'type', is: { equals: 'page' } };
const yes: CallFilter = { not: no };

test.each<[CallFilter, string | null]>([
  [{ all: [yes, { any: [no, yes] }] }, null],
  [no, 'type equals "page"'],
  [{ not: yes }, 'not (not (type equals "page"))'],
  [{ all: [yes, { all: [yes, no] }] }, 'all.1.all.1: type equals "page"'],
  [{ all: [{ any: [no, no] }, no] }, 'all.0: any of 2'],
  [{ any: [no] }, 'any of 1'],
])('%j is kept back by %s', (filter, clause) => {
  expect(keptBackBy(filter)).toBe(clause);
});

function nested(levels: number): unknown {
  let tree: unknown = no;
  for (let level = 1; level < levels; level++) tree = { not: tree };
  return tree;
}

const WHOLE = 'an object with exactly one of all, any, not, field';
const FIELD =
  'field: must be one of type, event, name, userId, anonymousId, groupId, source, or begin with properties. or traits. or context.';

test.each<[unknown, string]>([
  [null, `: must be a condition, ${WHOLE}`],
  [{ trait: 'a', is: { exists: true } }, `: must be a condition, ${WHOLE}`],
  [{ all: [] }, 'all: must be a list of 1 to 100 items'],
  [nested(9), `${'not.'.repeat(8).slice(0, -1)}: lies too deep: conditions may be nested 8 levels`],
  [nested(128), `${'not.'.repeat(8).slice(0, -1)}: lies too deep: conditions may be nested 8 levels`],
  [
    { any: Array.from({ length: 100 }, () => no) },
    'any.99: is one too many: a definition has at most 100 conditions and tests',
  ],
  [{ field: 'messageId', is: { exists: true } }, FIELD],
  [{ field: 'properties.', is: { exists: true } }, FIELD],
  [{ field: '__proto__', is: { exists: true } }, FIELD],
  [{ field: `properties.${'n'.repeat(200)}`, is: { exists: true } }, 'field: must be text of 1 to 200 characters'],
  [
    JSON.parse('{"field":"type","is":{"exists":true},"__proto__":1}'),
    '__proto__: is not a known field; known here: field, is',
  ],
])('%j is refused', (filter, error) => {
  const found = checkCallFilter(filter);
  const errors = 'errors' in found ? found.errors.map(({ path, message }) => `${path}: ${message}`) : [];
  expect(errors).toContain(error);
});

test('what the clock decides can not be asked', () => {
  const found = checkCallFilter({ field: 'context.sentOn', is: { withinDays: 3 } });
  expect(found).toMatchObject({ errors: [{ path: 'is', message: expect.not.stringContaining('withinDays') }] });
});

test('a list is read once, however many tests ask about it', () => {
  let read = 0;
  const tags = new Proxy(['New', 'Sale'], {
    get(list, key, proxy) {
      if (key === '0') read++;
      return Reflect.get(list, key, proxy) as unknown;
    },
  });
  const filter = {
    any: Array.from({ length: 90 }, (_, i) => ({ field: 'properties.tags', is: { contains: `t${i}` } })),
  };
  expect(compileCallFilter(filter)({ ...call, properties: { tags } }, 's1')).not.toBeNull();
  expect(read).toBe(1);
});
