import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Redaction } from '../core/destination.ts';
import { checkRedactions, outgoing, redacted } from './redaction.ts';

const KEY = Buffer.alloc(32, 7);
const redactKey = KEY.toString('base64url');

function left(json: string, ...redact: Redaction[]): [body: string, changed: readonly string[]] {
  expect(checkRedactions(redact)).toEqual({ value: redact });
  const { call, changed } = redacted(JSON.parse(json), { redact, redactKey });
  return [JSON.stringify(call), changed];
}

const hashOf = (text: string): string => createHmac('sha256', KEY).update(text).digest('hex');

const email = { path: 'traits.email', do: 'drop' } as const;

test.each<[json: string, path: string, how: Redaction['do'], expected: string]>([
  ['{"traits":{"a":1,"email":"x@y","z":2}}', 'traits.email', 'drop', '{"traits":{"a":1,"z":2}}'],
  ['{"traits":{"a":1,"email":"x@y","z":2}}', 'traits.email', 'mask', '{"traits":{"a":1,"email":"***","z":2}}'],
  ['{"traits":{"email":"X@y"}}', 'traits.email', 'hash', `{"traits":{"email":"${hashOf('X@y')}"}}`],
  ['{"traits":{"age":7}}', 'traits.age', 'mask', '{"traits":{"age":"***"}}'],
  ['{"traits":{"home":{"city":"Bonn"}}}', 'traits.home', 'hash', `{"traits":{"home":"${hashOf('{"city":"Bonn"}')}"}}`],
  ['{"context":{"traits":{"email":"x"}}}', 'context.traits.email', 'mask', '{"context":{"traits":{"email":"***"}}}'],
  [
    '{"properties":{"items":[{"price":1},{"n":2},3]}}',
    'properties.items.*.price',
    'drop',
    '{"properties":{"items":[{},{"n":2},3]}}',
  ],
  ['{"properties":{"tags":["a","b"]}}', 'properties.tags.*', 'mask', '{"properties":{"tags":["***","***"]}}'],
  ['{"properties":{"tags":["a","b"]}}', 'properties.tags.*', 'drop', '{"properties":{"tags":[]}}'],
  ['{"traits":{"a":"x","b":{"c":1}}}', 'traits.*', 'mask', '{"traits":{"a":"***","b":"***"}}'],
  [
    '{"traits":{"a.b":"x","a":{"b":"y","c":1}}}',
    'traits.a.b',
    'mask',
    '{"traits":{"a.b":"***","a":{"b":"***","c":1}}}',
  ],
  [
    '{"traits":{"__proto__":{"x":"y"},"a":1}}',
    'traits.__proto__.x',
    'mask',
    '{"traits":{"__proto__":{"x":"***"},"a":1}}',
  ],
  ['{"traits":{"__proto__":1,"a":1}}', 'traits.__proto__', 'drop', '{"traits":{"a":1}}'],
])('%s, %s: %s', (json, path, how, expected) => {
  expect(left(json, { path, do: how })).toEqual([expected, [path]]);
});

test.each([
  ['{"traits":{"name":"x"}}', 'traits.email'],
  ['{"traits":{"email":null}}', 'traits.email'],
  ['{"traits":{}}', 'traits.constructor'],
  ['{"traits":"email"}', 'traits.length'],
  ['{"traits":["x"]}', 'traits.0'],
  ['{"userId":"u"}', 'properties.userId'],
])('%s has nothing to change at %s', (json, path) => {
  expect(left(json, { path, do: 'mask' })).toEqual([json, []]);
  expect(left(json, { path, do: 'hash' })).toEqual([json, []]);
});

test('without its key a hash would tell the value to those who guess: it is masked', () => {
  const { call } = redacted({ traits: { email: 'x' } }, { redact: [{ ...email, do: 'hash' }] });
  expect(call).toEqual({ traits: { email: '***' } });
});

const home = '{"traits":{"home":{"city":"Bonn","zip":1}}}';

test.each<[expected: string, ...rules: [path: string, how: Redaction['do']][]]>([
  [`{"traits":{"home":"${hashOf('{"zip":1}')}"}}`, ['traits.home.city', 'drop'], ['traits.home', 'hash']],
  [`{"traits":{"home":"${hashOf('{"city":"Bonn","zip":1}')}"}}`, ['traits.home', 'hash'], ['traits.home.*', 'drop']],
  [`{"traits":{"home":"${hashOf('***')}"}}`, ['traits.*', 'mask'], ['traits.home', 'hash']],
  ['{"traits":{"home":"***"}}', ['traits.home', 'hash'], ['traits.*', 'mask']],
  ['{"traits":{"home":{"zip":"***"}}}', ['traits.home.city', 'drop'], ['traits.*.*', 'mask']],
])('%s is left by rules that are followed one after the other', (expected, ...rules) => {
  const redact = rules.map(([path, how]): Redaction => ({ path, do: how }));
  const [body] = left(home, ...redact);
  expect(body).toBe(expected);
});

test('of a call 1,000 values are hashed, by all rules together; further ones are masked', () => {
  const rules = ['properties.tags.*', 'traits.*'].map((path): Redaction => ({ path, do: 'hash' }));
  const tags = [null, ...Array.from({ length: 998 }, (_, tag) => tag)];
  const hashed = tags.map((tag) => (tag === null ? null : hashOf(String(tag))));
  const call = JSON.stringify({ properties: { tags }, traits: { a: 1, b: 2, c: 3, d: null } });
  const expected = { properties: { tags: hashed }, traits: { a: hashOf('1'), b: hashOf('2'), c: '***', d: null } };
  for (let time = 0; time < 2; time++) expect(JSON.parse(left(call, ...rules)[0])).toEqual(expected);
});

test('a value that many rules hash counts for each of them', () => {
  const rules = Array.from({ length: 50 }, (): Redaction => ({ path: 'traits.tags.*', do: 'hash' }));
  const { call } = redacted({ traits: { tags: Array(16_000).fill(1) } }, { redact: rules, redactKey });
  const { tags } = call['traits'] as { tags: string[] };
  expect(tags.map((tag) => tag === '***').indexOf(true)).toBe(20);
  expect(new Set(tags.slice(20))).toEqual(new Set(['***']));
});

const path = fc
  .array(fc.constantFrom('a', 'b', '*', '__proto__', 'a.b'), { minLength: 1, maxLength: 4 })
  .map((names) => ['traits', ...names].join('.'));
const rule = fc.record<Redaction>({ path, do: fc.constantFrom('drop', 'mask', 'hash') });
const json = fc
  .letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.double(),
      fc.constant(null),
      fc.array(tie('value')),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(fc.constantFrom('a', 'b', 'a.b', '1', '__proto__'), fc.string()), tie('value')),
  }))
  .object.map((traits) => `{"messageId":"m","traits":${JSON.stringify(traits)},"z":1}`);

test('a body stays a fixed point, its keys keep their order, and the call it is made of is not changed', () => {
  fc.assert(
    fc.property(json, fc.array(rule, { maxLength: 4 }), (text, redact) => {
      const call = JSON.parse(text);
      const before = JSON.stringify(call);
      const after = JSON.stringify(redacted(call, { redact, redactKey }).call);
      expect(JSON.stringify(call)).toBe(before);
      expect(JSON.stringify(JSON.parse(after))).toBe(after);
      expect(Object.keys(JSON.parse(after))).toEqual(['messageId', 'traits', 'z']);
    }),
  );
});

const message = {
  type: 'identify',
  sourceId: 's',
  messageId: 'm',
  userId: 'u',
  body: new TextEncoder().encode('{"traits":{"email":"x"}}'),
};

test('a message without rules, one that they do not touch and the notice of a deletion are sent as they are', () => {
  expect(outgoing(message, {})).toBe(message);
  expect(outgoing(message, { redact: [] })).toBe(message);
  expect(outgoing(message, { redact: [{ path: 'traits.name', do: 'drop' }] })).toBe(message);
  const notice = { ...message, type: 'delete' };
  expect(outgoing(notice, { redact: [email] })).toBe(notice);
});

test('the body is built once for all URLs of a destination', () => {
  const to = { redact: [email] };
  const { body } = outgoing(message, to);
  expect(new TextDecoder().decode(body)).toBe('{"traits":{}}');
  expect(outgoing(message, to).body).toBe(body);
});

const WHERE =
  'must begin with properties. or traits. or context., with at most 16 names joined by dots, none of them empty';

test.each<[unknown, string]>([
  [['traits.email'], '0: must be an object with path and do'],
  [[{ path: 'userId', do: 'drop' }], `0.path: ${WHERE}`],
  [[{ path: 'traits', do: 'drop' }], `0.path: ${WHERE}`],
  [[{ path: 'traits.a..b', do: 'drop' }], `0.path: ${WHERE}`],
  [[{ path: `traits${'.a'.repeat(16)}`, do: 'drop' }], `0.path: ${WHERE}`],
  [[{ path: 'traits.a', do: 'encrypt' }], '0.do: must be one of drop, mask, hash'],
  [[{ ...email, to: '' }], '0.to: is not a known field; known here: path, do'],
  [Array.from({ length: 51 }, () => email), ': must be a list of 1 to 50 items'],
])('%j is refused', (redact, error) => {
  const found = checkRedactions(redact);
  const errors = 'errors' in found ? found.errors.map((each) => `${each.path}: ${each.message}`) : [];
  expect(errors).toContain(error);
});
