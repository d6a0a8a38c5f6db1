import { expect, test } from 'vitest';
import type { Stats, StatsBucket } from '../../../server/src/admin/contract.ts';
import { endedBuckets } from './ended-buckets.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const NONE = { accepted: 0, rejected: 0, processed: 0, failed: 0, filtered: 0, retried: 0 };
const NOTHING = { ...NONE, attempts: 0, attemptsFailed: 0, p50: null, p95: null };

/** Buckets up to the one that begins at noon, with so many deliveries each. */
function stats(step: number, ...processed: number[]): Stats {
  const at = (i: number): string => new Date(NOON + (i - processed.length + 1) * step * 1_000).toISOString();
  const buckets = processed.map((count, i): StatsBucket => ({ ...NOTHING, at: at(i), processed: count }));
  return { from: at(0), to: at(processed.length), step, buckets, total: NOTHING, before: null };
}

function shown(numbers: Stats, now: number): number[] {
  return endedBuckets(numbers, now).map(({ processed }) => processed);
}

test.each([60, 300])('a bucket of %i s is left out until it is over', (step) => {
  const numbers = stats(step, 7, 8, 1);
  expect(shown(numbers, NOON + step * 1_000 - 1)).toEqual([7, 8]);
  expect(shown(numbers, NOON + step * 1_000)).toEqual([7, 8, 1]);
});

test('the first in which anything happened is shown at once', () => {
  expect(shown(stats(60, 0, 0, 3), NOON + 1)).toEqual([0, 0, 3]);
  expect(shown(stats(60, 3), NOON + 1)).toEqual([3]);
});

test('a long bucket is shown while it fills', () => {
  expect(shown(stats(1_800, 7, 8, 1), NOON + 1)).toEqual([7, 8, 1]);
});
