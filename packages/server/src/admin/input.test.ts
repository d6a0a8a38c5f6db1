import Type, { type TSchema } from 'typebox';
import Compile from 'typebox/compile';
import { expect, test } from 'vitest';
import { fieldErrors, instant } from './input.ts';
import { PATTERN_WORDS } from './schemas/field.ts';
import { searchQuery } from './schemas/search.ts';
import { SCHEMAS } from './schemas/shape.ts';
import './plugin.ts';

const schema = Type.Object(
  {
    name: Type.String({ minLength: 1, pattern: '\\S' }),
    mode: Type.Optional(Type.Enum(['a', 'b'])),
    kind: Type.Optional(Type.Literal('X')),
    inner: Type.Optional(
      Type.Union([Type.Object({ n: Type.Integer({ maximum: 3 }) }, { additionalProperties: false }), Type.Null()]),
    ),
    'a/b~c': Type.Optional(Type.String()),
    headers: Type.Optional(Type.Record(Type.String(), Type.String(), { maxProperties: 1 })),
    path: Type.Optional(Type.Union([Type.String({ minLength: 1 }), Type.Array(Type.String(), { maxItems: 2 })])),
  },
  { additionalProperties: false },
);

const cases: [unknown, [path: string, message: string | RegExp][]][] = [
  [{ name: 'x' }, []],
  [{ name: 'x', inner: null }, []],
  [5, [['', 'must be an object']]],
  [{}, [['name', 'is required']]],
  [
    { name: '', mode: 'c' },
    [
      ['name', /must not be (empty|blank)/],
      ['mode', 'must be one of a, b'],
    ],
  ],
  [{ name: 'x', kind: 'x' }, [['kind', 'must be exactly "X"']]],
  [
    { name: 'x', extra: 1, inner: { n: 1, more: 2 } },
    [
      ['inner.more', 'is not a known field'],
      ['extra', 'is not a known field'],
    ],
  ],
  [{ name: 'x', inner: { n: 9 } }, [['inner.n', 'must be at most 3']]],
  [{ name: 'x', inner: {} }, [['inner.n', 'is required']]],
  [{ name: 'x', inner: 'text' }, [['inner', 'must be an object']]],
  [{ name: 'x', inner: { n: 0.5 } }, [['inner.n', 'must be a whole number']]],
  [{ name: 'x', headers: { a: '1', b: '2' } }, [['headers', 'must have at most 1 entry']]],
  [{ name: 'x', 'a/b~c': 1 }, [['a/b~c', 'must be a text']]],
  [{ name: 'x', path: ['a', 'b', 'c'] }, [['path', 'must have at most 2 entries']]],
  [{ name: 'x', path: '' }, [['path', 'must not be empty']]],
  [{ name: 'x', path: 5 }, [['path', 'must be a text']]],
];

test.each(cases)('each wrong field is named once: %j', (value, expected) => {
  const found = fieldErrors(Compile(schema as TSchema).Errors(value)).sort((a, b) => (a.path < b.path ? -1 : 1));
  const wanted = expected.map(([path, message]) => ({
    path,
    message: message instanceof RegExp ? expect.stringMatching(message) : message,
  }));
  expect(found).toEqual(wanted.sort((a, b) => (a.path < b.path ? -1 : 1)));
});

test('every pattern of the schemas has its words', () => {
  const patterns = [
    ...JSON.stringify([...SCHEMAS.values(), searchQuery]).matchAll(/"pattern":("(?:[^"\\]|\\.)*")/g),
  ].map(([, text]) => String(JSON.parse(text ?? '')));
  expect([...new Set(patterns)].sort()).toEqual(Object.keys(PATTERN_WORDS).sort());
});

test.each([
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2026-11-20T10:00', Date.UTC(2026, 10, 20, 10)],
  ['2026-11-20T10:00:00.250Z', Date.UTC(2026, 10, 20, 10, 0, 0, 250)],
  ['2026-11-20T10:00:00+0200', Date.UTC(2026, 10, 20, 8)],
  ['2026-11-20T10:00:00-01:00', Date.UTC(2026, 10, 20, 11)],
  [undefined, null],
  [null, null],
])('a bound is read as UTC: %s', (text, at) => {
  expect(instant(text, 'from')).toBe(at);
});

test.each([
  'yesterday',
  '1',
  '2026-13-01',
  '2026-02-30',
  '2026-02-29T10:00',
  '2026-11-20T25:00',
  '',
  '2026-11-20 10:00',
  '2026-11',
])('a bound that is no time is refused: %j', (text) => {
  expect(() => instant(text, 'from')).toThrow('from: must be an ISO 8601 date or date-time');
});
