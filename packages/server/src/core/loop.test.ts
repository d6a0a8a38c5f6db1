import { expect, test } from 'vitest';
import { Loop } from './loop.ts';
import { Recurring } from './recurring.ts';
import type { Timer } from './timer.ts';
import { Trouble } from './trouble.ts';

/** Runs what waits when it is told to. */
class HandTimer implements Timer {
  readonly waits: { readonly ms: number; readonly run: () => void }[] = [];

  after(ms: number, run: () => void): () => void {
    const wait = { ms, run };
    this.waits.push(wait);
    return () => void this.waits.splice(this.waits.indexOf(wait), 1);
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a turn comes at once, after its wait, or when the bell rings, also during the turn before', async () => {
  const timer = new HandTimer();
  const waits = [0, 50, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let turns = 0;
  let during = (): void => undefined;
  const loop = new Loop(timer, async () => {
    during();
    return waits[turns++] ?? 1;
  });
  await loop.start();
  await loop.start();
  await settled();
  expect([turns, timer.waits.map(({ ms }) => ms)]).toEqual([2, [50]]);
  timer.waits[0]?.run();
  await settled();
  expect([turns, timer.waits]).toEqual([3, []]);
  during = () => turns === 3 && loop.ring();
  loop.ring();
  await settled();
  expect(turns).toBe(5);
  await loop.stop();
  expect([turns, timer.waits, loop.isRunning]).toEqual([5, [], false]);
});

test('a stop aborts the turn under way and waits for it', async () => {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  let seen: AbortSignal | undefined;
  const loop = new Loop(new HandTimer(), async (signal) => {
    seen = signal;
    await held;
    return 0;
  });
  await loop.start();
  let isStopped = false;
  const stopped = loop.stop().then(() => (isStopped = true));
  await settled();
  expect([seen?.aborted, isStopped]).toEqual([true, false]);
  resolve();
  await stopped;
});

test('what recurs is run again soon after it failed, and the failure is told once', async () => {
  const timer = new HandTimer();
  const told: unknown[] = [];
  let fails = true;
  const recurring = new Recurring({
    clock: { ...timer, after: (ms, run) => timer.after(ms, run), now: () => 0 },
    every: 3_600_000,
    run: async () => {
      if (fails) throw new Error('no disk');
    },
    trouble: new Trouble('it did not run', (error) => void told.push(error)),
  });
  await recurring.start();
  await settled();
  expect(timer.waits.map(({ ms }) => ms)).toEqual([60_000]);
  fails = false;
  timer.waits[0]?.run();
  await settled();
  expect([timer.waits.map(({ ms }) => ms), told.length]).toEqual([[3_600_000], 1]);
  await recurring.stop();
  expect(timer.waits).toEqual([]);
});
