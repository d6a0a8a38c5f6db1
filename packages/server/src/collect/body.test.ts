import { deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { Fault } from '../core/fault.ts';
import { parseJson, readBody } from './body.ts';
import type { BodyLimit } from './limits.ts';

const LIMIT: BodyLimit = { bytes: 1000, code: 'too_large' };

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof Fault) return error.code;
    throw error;
  }
  return 'none';
}

test('reads plain bodies and gzip ones, labelled or not', () => {
  const plain = Buffer.from('{"é":"✓"}');
  for (const encoding of [undefined, '', 'identity', ' Identity '])
    expect(readBody(plain, encoding, LIMIT)).toBe('{"é":"✓"}');
  for (const encoding of ['gzip', 'GZIP', 'x-gzip', undefined, 'identity']) {
    expect(readBody(gzipSync(plain), encoding, LIMIT)).toBe('{"é":"✓"}');
  }
});

test('reads a view of a larger buffer, and drops a byte order mark', () => {
  expect(readBody(Buffer.from('xx{}yy').subarray(2, 4), undefined, LIMIT)).toBe('{}');
  expect(readBody(Buffer.from('\uFEFF{}'), undefined, LIMIT)).toBe('{}');
});

test.each([
  ['an unknown coding', deflateSync('{}'), 'deflate', 'unsupported_encoding'],
  ['two codings', gzipSync('{}').fill(0), 'gzip, gzip', 'unsupported_encoding'],
  ['truncated gzip', gzipSync('{"a":"some text"}').subarray(0, 20), 'gzip', 'invalid_gzip'],
  ['gzip in name only', Buffer.from('{}'), 'gzip', 'invalid_gzip'],
  ['nothing', Buffer.alloc(0), undefined, 'invalid_json'],
  ['gzip of nothing', gzipSync(''), 'gzip', 'invalid_json'],
  ['invalid UTF-8', Buffer.from([0x22, 0xff, 0xfe, 0x22]), undefined, 'invalid_json'],
  ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22]), undefined, 'invalid_json'],
  ['one byte too many', Buffer.alloc(1001, ' '), undefined, 'too_large'],
  ['one byte too many after decompression', gzipSync(Buffer.alloc(1001, ' ')), 'gzip', 'too_large'],
  ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000)), 'gzip', 'too_large'],
])('refuses %s', (_name, raw, encoding, code) => {
  expect(codeOf(() => readBody(raw, encoding, LIMIT))).toBe(code);
});

test('the limit is met exactly, and says its own code', () => {
  expect(readBody(Buffer.alloc(1000, ' '), undefined, LIMIT)).toHaveLength(1000);
  expect(readBody(gzipSync(Buffer.alloc(1000, ' ')), 'gzip', LIMIT)).toHaveLength(1000);
  expect(codeOf(() => readBody(Buffer.alloc(9), undefined, { bytes: 8, code: 'call_too_large' }))).toBe(
    'call_too_large',
  );
});

test('says what is wrong with JSON', () => {
  expect(() => parseJson('{"a":}')).toThrow(/not valid JSON: .*}/);
  expect(parseJson('{"a":1}')).toEqual({ a: 1 });
});
