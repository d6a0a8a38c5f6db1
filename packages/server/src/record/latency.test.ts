import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LATENCY_BUCKETS, latencyBucket, latencyQuantile } from './latency.ts';

const DAY = 24 * 60 * 60 * 1000;

function counted(latencies: readonly number[]): Uint32Array {
  const counts = new Uint32Array(LATENCY_BUCKETS);
  for (const ms of latencies) counts[latencyBucket(ms)] = (counts[latencyBucket(ms)] ?? 0) + 1;
  return counts;
}

test('a latency is read back within 10 %, up to 8 days', () => {
  for (let ms = 0; ms < 8 * DAY; ms = Math.max(ms + 1, Math.floor(ms * 1.0007))) {
    const read = latencyQuantile(counted([ms]), 0.5) ?? Number.NaN;
    expect(Math.abs(read - ms), String(ms)).toBeLessThanOrEqual(ms * 0.1);
  }
});

test('longer ones count as the longest, and what no clock can give as none', () => {
  expect(latencyBucket(8 * DAY)).toBe(LATENCY_BUCKETS - 1);
  for (const ms of [400 * DAY, Number.POSITIVE_INFINITY]) expect(latencyBucket(ms)).toBe(LATENCY_BUCKETS - 1);
  for (const ms of [-5, 0, 0.4, Number.NaN]) expect(latencyBucket(ms)).toBe(0);
});

test('quantiles are those of the sorted latencies, within 10 %', () => {
  const latencies = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(latencies, fc.constantFrom(0, 0.5, 0.95, 1), (all, q) => {
      const exact = all.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(q * all.length) - 1)] ?? Number.NaN;
      expect(Math.abs((latencyQuantile(counted(all), q) ?? Number.NaN) - exact)).toBeLessThanOrEqual(exact * 0.1);
    }),
  );
});

test('nothing counted has no quantile', () => {
  expect(latencyQuantile(new Uint32Array(), 0.5)).toBeNull();
  expect(latencyQuantile(new Uint32Array(LATENCY_BUCKETS), 0.95)).toBeNull();
});
