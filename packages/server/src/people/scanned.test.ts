import { expect, test } from 'vitest';
import { SHARD_POSITIONS } from '../core/position.ts';
import { sampleEvent } from '../log/conformance.ts';
import { pageOf } from '../log/entry-page.ts';
import { Scanned } from './scanned.ts';

test('a scan is as far as the shard of which least is read', () => {
  const scanned = new Scanned();
  const shares = [scanned.share(200)];
  for (const [shard, receivedAt] of [
    [0, 100],
    [0, 150],
    [2, 120],
    [2, 180],
    [0, 200],
    [2, 210],
  ] as const) {
    const entry = { ...sampleEvent('s', 'm', { receivedAt }), position: shard * SHARD_POSITIONS + receivedAt };
    scanned.note(pageOf([entry]));
    shares.push(scanned.share(200));
  }
  expect(shares).toEqual([0, 0, 0.5, 0.2, 0.5, 0.8, 1]);
});
