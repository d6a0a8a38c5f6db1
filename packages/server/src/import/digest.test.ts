import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digest } from './digest.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

test('is the beginning of SHA-256, for each length around a block', () => {
  for (let length = 0; length < 200; length += 1) expect(digest('x'.repeat(length))).toBe(sha256('x'.repeat(length)));
});

test('is the beginning of SHA-256, for any text', () => {
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => void expect(digest(text)).toBe(sha256(text))));
});
