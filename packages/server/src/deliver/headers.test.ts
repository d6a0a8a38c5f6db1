import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkHeaders, FORBIDDEN_HEADERS, MAX_HEADER_BYTES, MAX_HEADERS } from './headers.ts';

const named = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`X-${index}`, 'v']));

describe('headers that can be saved', () => {
  test.each([
    ['none', {}],
    ['an ordinary one', { 'X-Team': 'growth' }],
    ['a value with colons', { Authorization: 'Basic a:b:c', 'X-Url': 'https://example.com:8443/' }],
    ['every character of a token', { "!#$%&'*+-.^_`|~09AZaz": 'x' }],
    ['an empty value', { 'X-Empty': '' }],
    ['inner spaces and tabs', { 'X-Words': 'two  words\tand a tab' }],
    ['Latin-1', { 'X-City': 'Zürich' }],
    ['a name that means something to JavaScript', JSON.parse('{"__proto__":"x","constructor":"y"}')],
    ['as many as allowed', named(MAX_HEADERS)],
    ['as long as allowed', { 'X-Long': 'v'.repeat(MAX_HEADER_BYTES - 'X-Long: \r\n'.length) }],
  ])('%s', (_, headers) => {
    expect(checkHeaders(headers)).toEqual([]);
  });
});

describe('headers that are refused', () => {
  test.each([
    ['a line break in the value', { 'X-A': 'a\r\nX-Evil: 1' }],
    ['a bare line feed', { 'X-A': 'a\nb' }],
    ['NUL', { 'X-A': 'a\0b' }],
    ['DEL', { 'X-A': 'a\x7fb' }],
    ['characters outside Latin-1', { 'X-A': '日本' }],
    ['a leading space', { 'X-A': ' a' }],
    ['a trailing tab', { 'X-A': 'a\t' }],
    ['an empty name', { '': 'a' }],
    ['a space in the name', { 'X A': 'a' }],
    ['a colon in the name', { 'X-A:': 'a' }],
    ['a line break in the name', { 'X-A\r\nX-B': 'a' }],
    ['a name outside ASCII', { 'X-É': 'a' }],
  ])('%s', (_, headers) => {
    expect(checkHeaders(headers).map(({ path }) => path)).toEqual(Object.keys(headers));
  });

  test.each([...FORBIDDEN_HEADERS, 'x-millrace-source', 'x-millrace-anything'])('%s, in any letter case', (name) => {
    for (const spelling of [name, name.toUpperCase()]) {
      expect(checkHeaders({ [spelling]: 'x' })).toEqual([
        { path: spelling, message: `${spelling} is set by Millrace or by the connection itself.` },
      ]);
    }
  });

  test('one name twice in different letter case', () => {
    expect(checkHeaders({ 'X-Team': 'a', 'x-team': 'b' }).map(({ path }) => path)).toEqual(['x-team']);
  });

  test('too many, and too long', () => {
    expect(checkHeaders(named(MAX_HEADERS + 1))).toEqual([{ path: '', message: expect.stringContaining('51') }]);
    const long = { 'X-Long': 'v'.repeat(MAX_HEADER_BYTES) };
    expect(checkHeaders(long)).toEqual([{ path: '', message: expect.stringContaining('8192') }]);
  });
});

test('whatever passes can be written on one line of a request', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string()), (headers) => {
      const bad = new Set(checkHeaders(headers).map(({ path }) => path));
      for (const [name, value] of Object.entries(headers)) {
        if (bad.has(name)) continue;
        expect(new Headers([[name, value]]).has(name)).toBe(true);
        expect(`${name}: ${value}`).not.toMatch(/[\r\n\0]/);
      }
    }),
  );
});
