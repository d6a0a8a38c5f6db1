import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shardOf } from '../../core/position.ts';
import { endOf, indexOf, MAX_BATCH_EVENTS, MAX_SHARDS, positionOf, seqOf, shardOfSource } from './position.ts';

const shard = fc.nat({ max: MAX_SHARDS - 1 });
const seq = fc.integer({ min: 1, max: 2 ** 39 - 1 });
const index = fc.nat({ max: MAX_BATCH_EVENTS - 1 });

test('a position is a safe integer that says its three parts', () => {
  fc.assert(
    fc.property(shard, seq, index, (...parts) => {
      const position = positionOf(...parts);
      expect(Number.isSafeInteger(position)).toBe(true);
      expect([shardOf(position), seqOf(position), indexOf(position)]).toEqual(parts);
    }),
  );
  expect(positionOf(MAX_SHARDS - 1, 2 ** 39 - 1, MAX_BATCH_EVENTS - 1)).toBe(Number.MAX_SAFE_INTEGER);
});

test('positions grow with the batch and within it', () => {
  fc.assert(
    fc.property(shard, seq, index, (...[of, at, i]) => {
      expect(positionOf(of, at, i)).toBeLessThanOrEqual(endOf(of, at));
      expect(endOf(of, at)).toBeLessThan(positionOf(of, at + 1, 0));
    }),
  );
});

test('sources are spread over the shards, and each keeps its own', () => {
  const shards = Array.from({ length: 1_000 }, (_, i) => shardOfSource(`src_${i}`, 4));
  for (const each of [0, 1, 2, 3]) expect(shards.filter((of) => of === each).length).toBeGreaterThan(150);
  // What is written once must be found again by every later version.
  expect(['src_1', 'src_2', 'Zoë'].map((id) => shardOfSource(id, 16))).toEqual([9, 0, 7]);
});
