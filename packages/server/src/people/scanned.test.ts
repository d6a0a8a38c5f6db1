import { expect, test } from 'vitest';
import { SHARD_POSITIONS } from '../core/position.ts';
import { sampleEvent } from '../log/conformance.ts';
import { Scanned } from './scanned.ts';

test('a scan goes on from shard to shard, and in each from its first event to now', () => {
  const scanned = new Scanned(4);
  const shares = [scanned.share(200)];
  for (const [shard, receivedAt] of [
    [0, 100],
    [0, 150],
    [2, 100],
    [2, 180],
    [3, 100],
    [3, 200],
    [3, 210],
  ] as const) {
    scanned.note([{ ...sampleEvent('s', 'm', { receivedAt }), position: shard * SHARD_POSITIONS + receivedAt }]);
    shares.push(scanned.share(200));
  }
  expect(shares).toEqual([0, 0, 0.5 / 4, 2 / 4, 2.8 / 4, 3 / 4, 1, 1]);
});
