import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Deadlines } from './deadlines.ts';

const AFTER = 5_000;
/** A deadline is met this much late at most. */
const LATE = 5;

function world(): { clock: HandClock; deadlines: Deadlines<string>; missed: string[] } {
  const clock = new HandClock();
  const missed: string[] = [];
  return { clock, missed, deadlines: new Deadlines(clock, AFTER, (item) => missed.push(item)) };
}

test('calls what is not removed in time, in order, never early and a few milliseconds late at most', () => {
  const { clock, deadlines, missed } = world();
  for (let at = 0; at < 100; at++) {
    deadlines.add(`${at}`);
    clock.advance(1);
  }
  clock.advance(AFTER - 101);
  expect(missed).toEqual([]);
  for (let at = 0; at < 100 + LATE; at++) {
    clock.advance(1);
    expect(missed.length).toBeLessThanOrEqual(at + 1);
    expect(missed.length).toBeGreaterThanOrEqual(at + 1 - LATE);
  }
  expect(missed).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`));
  expect(clock.pending).toBe(0);
});

test('forgets what was removed', () => {
  const { clock, deadlines, missed } = world();
  const slot = deadlines.add('answered');
  deadlines.add('hangs');
  deadlines.remove('answered', slot);
  expect(deadlines.all()).toEqual(['hangs']);
  clock.advance(AFTER + LATE);
  expect(missed).toEqual(['hangs']);
  expect(deadlines.all()).toEqual([]);
});

test('needs few timers, and none for what has ended', () => {
  const { clock, deadlines, missed } = world();
  for (let at = 0; at < 1_000; at++) {
    const slots = Array.from({ length: 50 }, (_, index) => deadlines.add(`${at} ${index}`));
    slots.forEach((slot, index) => void deadlines.remove(`${at} ${index}`, slot));
    clock.advance(1);
    expect(clock.pending).toBe(1);
  }
  clock.advance(AFTER + LATE);
  expect([missed, clock.pending]).toEqual([[], 0]);
});

test.each([-3_600_000, 3_600_000])('a step of the clock by %i ms changes no deadline', (step) => {
  const passing = new HandClock();
  let offset = 0;
  const clock = { now: () => passing.now() + offset, after: passing.after.bind(passing) };
  const missed: string[] = [];
  const deadlines = new Deadlines<string>(clock, AFTER, (item) => missed.push(item));
  deadlines.add('before');
  passing.advance(100);
  offset = step;
  deadlines.add('after');
  passing.advance(AFTER - 101);
  expect(missed).toEqual([]);
  passing.advance(1 + LATE);
  expect(missed).toEqual(['before']);
  passing.advance(100);
  expect(missed).toEqual(['before', 'after']);
});
