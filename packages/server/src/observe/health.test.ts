import { expect, test } from 'vitest';
import type { Clock } from '../core/clock.ts';
import { Health } from './health.ts';

/** A clock whose waits end when told to. */
function handClock(): Clock & { ring(): void } {
  const waiting = new Set<() => void>();
  return {
    now: () => 0,
    after(_ms, run) {
      waiting.add(run);
      return () => waiting.delete(run);
    },
    ring() {
      for (const run of waiting) run();
    },
  };
}

test('all is well when every check says null', async () => {
  const health = new Health(handClock());
  health.add('ready', 'storage', async () => null);
  expect(await health.ready()).toEqual({ status: 'ok', checks: [{ name: 'storage', ok: true, reason: null }] });
  expect(await health.live()).toEqual({ status: 'ok', checks: [] });
});

test('each failing check says why, and a throw is a reason', async () => {
  const health = new Health(handClock());
  health.add('live', 'loop', () => null);
  health.add('ready', 'storage', () => 'the disk is full');
  health.add('ready', 'log', () => {
    throw new Error('closed');
  });
  expect(await health.ready()).toEqual({
    status: 'failing',
    checks: [
      { name: 'loop', ok: true, reason: null },
      { name: 'storage', ok: false, reason: 'the disk is full' },
      { name: 'log', ok: false, reason: 'closed' },
    ],
  });
});

test('a check that never answers fails at its deadline', async () => {
  const clock = handClock();
  const health = new Health(clock);
  health.add('ready', 'storage', () => new Promise(() => undefined));
  const report = health.ready();
  clock.ring();
  expect((await report).checks).toEqual([{ name: 'storage', ok: false, reason: 'no answer within 2000 ms' }]);
});
