import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GIF, readPixel } from './pixel.ts';

const bodyOf = (search: string): string => Buffer.from(readPixel(search).body).toString('utf8');

test('data is base64 in either alphabet, escaped or not, with or without padding', () => {
  const json = '{"userId":"û","e":">>>???"}';
  const base64 = Buffer.from(json).toString('base64');
  expect(base64).toContain('+');
  for (const data of [
    base64,
    encodeURIComponent(base64),
    base64.replace(/=+$/, ''),
    Buffer.from(json).toString('base64url'),
  ]) {
    expect(bodyOf(`data=${data}`)).toBe(json);
  }
});

test('dots lead inwards', () => {
  expect(JSON.parse(bodyOf('userId=1&properties.plan=pro&properties.a.b=%C3%A9+x&event=E'))).toEqual({
    userId: '1',
    properties: { plan: 'pro', a: { b: 'é x' } },
    event: 'E',
  });
  expect(bodyOf('a=1&a.b=2')).toBe('{"a":{"b":"2"}}');
  expect(bodyOf('')).toBe('{}');
});

test('__proto__ is a key like any other', () => {
  expect(bodyOf('__proto__.polluted=1&properties.__proto__=2')).toBe(
    '{"__proto__":{"polluted":"1"},"properties":{"__proto__":"2"}}',
  );
  expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
});

test('the write key stands beside data', () => {
  expect(readPixel('data=e30&writeKey=wk').writeKey).toBe('wk');
  expect(readPixel('data=e30').writeKey).toBeNull();
  expect(readPixel('writeKey=').writeKey).toBeNull();
});

test('any query gives a JSON object', () => {
  fc.assert(
    fc.property(fc.webQueryParameters(), (search) => {
      if (new URLSearchParams(search).has('data')) return;
      expect(JSON.parse(bodyOf(search))).toBeTypeOf('object');
    }),
  );
  expect(bodyOf(`${'a.'.repeat(5000)}b=1`)).toContain('a.a.a');
});

test('the GIF is one', () => {
  expect(GIF.subarray(0, 6).toString('latin1')).toBe('GIF89a');
});
