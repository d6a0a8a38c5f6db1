import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { agedBefore } from './clock.ts';
import { SteadyClock, type TimeSource } from './steady-clock.ts';

const HOUR = 3_600_000;

/** A machine whose clock can be set. */
function machine(): { readonly source: TimeSource; set(ms: number): void; pass(ms: number): void } {
  const hand = new HandClock();
  const begun = hand.now();
  let off = 0;
  return {
    source: { now: () => hand.now() + off, passed: () => hand.now() - begun, after: (ms, run) => hand.after(ms, run) },
    set(ms) {
      off += ms;
    },
    pass: (ms) => hand.advance(ms),
  };
}

test('a clock that is set back: time goes on as it passes, and that is told once', () => {
  const { source, set, pass } = machine();
  const told: number[] = [];
  const clock = new SteadyClock({ source, follows: true, told: (ms) => told.push(ms) });
  const begun = clock.now();
  set(-HOUR);
  pass(5_000);
  expect(clock.now() - begun).toBe(5_000);
  pass(HOUR);
  expect(clock.now() - begun).toBe(HOUR + 5_000);
  expect(clock.skipped(begun)).toBe(0);
  expect(told).toEqual([-HOUR]);
  set(HOUR);
  expect(clock.now() - begun).toBe(HOUR + 5_000);
  expect(told).toEqual([-HOUR, 0]);
});

test('a clock that is set forward is followed, and what did not pass is known', () => {
  const { source, set, pass } = machine();
  const told: number[] = [];
  const clock = new SteadyClock({ source, follows: true, told: (ms) => told.push(ms) });
  const begun = clock.now();
  pass(1_000);
  set(HOUR);
  const after = clock.now();
  expect(after - begun).toBe(HOUR + 1_000);
  expect(clock.skipped(begun)).toBe(HOUR);
  expect(clock.skipped(after)).toBe(0);
  pass(10);
  expect(clock.now() - begun).toBe(HOUR + 1_010);
  expect(told).toEqual([HOUR]);
});

test('what was there before a jump is as old as the time that passed, and so is what came after it', () => {
  const { source, set, pass } = machine();
  const clock = new SteadyClock({ source, follows: true });
  const early = clock.now();
  pass(HOUR);
  set(30 * HOUR);
  const late = clock.now();
  const areOlder = (): boolean[] => [early, late].map((at) => at < agedBefore(clock, 7 * HOUR));
  pass(6 * HOUR);
  expect(areOlder()).toEqual([false, false]);
  pass(1);
  expect(areOlder()).toEqual([true, false]);
  pass(HOUR);
  expect(areOlder()).toEqual([true, true]);
});

test('a clock that another one sets right goes by what has passed alone', () => {
  const { source, set, pass } = machine();
  const clock = new SteadyClock({ source, follows: false });
  const begun = clock.now();
  for (const ms of [HOUR, -3 * HOUR]) {
    set(ms);
    pass(100);
  }
  expect(clock.now() - begun).toBe(200);
  expect(clock.skipped(begun)).toBe(0);
});

test('steps of less than a second are no jumps', () => {
  const { source, set, pass } = machine();
  const told: number[] = [];
  const clock = new SteadyClock({ source, follows: true, told: (ms) => told.push(ms) });
  const begun = clock.now();
  for (const ms of [300, -900, 200]) {
    set(ms);
    pass(10);
    clock.now();
  }
  expect(clock.now() - begun).toBe(30);
  expect(told).toEqual([]);
});
