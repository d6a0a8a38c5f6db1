import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { StatsAddition } from './contract.ts';
import { DayCounts } from './day-counts.ts';
import { StatsCounter } from './stats.ts';

const LOOK_MS = 10_000;
const DAY_MS = 86_400_000;

/** Counts over a store that keeps additions in memory, may refuse them, and whose answers may be late or fail. */
function open(limited = ['s']) {
  const clock = new HandClock();
  const added: StatsAddition[] = [];
  const errors: unknown[] = [];
  const answer = { may: Promise.resolve(), fails: false, refuses: false };
  const store = {
    add: async (additions: readonly StatsAddition[]): Promise<void> => {
      if (answer.refuses) throw new Error('the database is read-only');
      added.push(...additions);
    },
    totals: async (ids: readonly string[], from: number, to: number) => {
      await answer.may;
      if (answer.fails) throw new Error('the database does not answer');
      const rows = added.filter(({ at }) => at >= from && at < to);
      const acceptedOf = (id: string): number =>
        rows.filter(({ subject }) => subject === id).reduce((sum, { accepted }) => sum + accepted, 0);
      return new Map(ids.map((id) => [id, { accepted: acceptedOf(id) }]));
    },
  };
  const stats = new StatsCounter({ store, clock, failed: (error) => errors.push(error) });
  const failed = (error: unknown): void => void errors.push(error);
  const days = new DayCounts({ store, flush: () => stats.flush(), clock, sourceIds: () => limited, failed });
  const accept = (events: number): void => {
    stats.accepted('s', events);
    days.accepted('s', events);
  };
  return { clock, answer, added, days, stats, accept, errors };
}

/** Resolves when what is ready to run has run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('what was just accepted counts, before, while and after the store is asked', async () => {
  const { clock, answer, days, accept } = open();
  await days.start();
  accept(300);
  expect(days.today('s')).toBe(300);
  const { promise, resolve } = Promise.withResolvers<void>();
  answer.may = promise;
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(300);
  accept(200);
  expect(days.today('s')).toBe(500);
  resolve();
  await settled();
  expect(days.today('s')).toBe(500);
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(500);
  await days.stop();
});

test('what others counted shows at the next look, and a look that fails takes nothing away', async () => {
  const { clock, answer, days, stats, accept, errors } = open();
  await days.start();
  await settled();
  accept(1);
  stats.accepted('s', 2);
  await stats.flush();
  answer.fails = true;
  clock.advance(LOOK_MS);
  await settled();
  expect([days.today('s'), errors.length]).toEqual([1, 1]);
  answer.fails = false;
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(3);
  await days.stop();
});

test('what a store refuses that can still be read counts, until the day ends', async () => {
  const { clock, answer, days, accept } = open();
  await days.start();
  answer.refuses = true;
  accept(300);
  const look = async (): Promise<number> => {
    clock.advance(LOOK_MS);
    await settled();
    return days.today('s');
  };
  expect(await look()).toBe(300);
  accept(5);
  expect(await look()).toBe(305);
  clock.advance(DAY_MS - (clock.now() % DAY_MS));
  await settled();
  expect(await look()).toBe(0);
  accept(7);
  expect(await look()).toBe(7);
  answer.refuses = false;
  expect(await look()).toBe(7);
  await days.stop();
});

test('the store is not asked while no source has a limit, and a new limit counts what was accepted before it', async () => {
  const limited: string[] = [];
  const { clock, added, days, accept } = open(limited);
  await days.start();
  accept(300);
  clock.advance(LOOK_MS);
  await settled();
  expect(added).toEqual([]);
  limited.push('s');
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(300);
  await days.stop();
});

test('a day ends at midnight, UTC', async () => {
  const { clock, days, accept } = open();
  await days.start();
  accept(5);
  clock.advance(DAY_MS - (clock.now() % DAY_MS));
  expect(days.today('s')).toBe(0);
  accept(1);
  await settled();
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(1);
  await days.stop();
});

test('what is accepted after midnight counts at once, also while a look at the day before is under way', async () => {
  const { clock, answer, days, accept } = open();
  await days.start();
  accept(5);
  const { promise, resolve } = Promise.withResolvers<void>();
  answer.may = promise;
  clock.advance(DAY_MS - (clock.now() % DAY_MS) - 1);
  await settled();
  clock.advance(1);
  accept(2);
  expect(days.today('s')).toBe(2);
  accept(1);
  resolve();
  await settled();
  expect(days.today('s')).toBe(3);
  clock.advance(LOOK_MS);
  await settled();
  expect(days.today('s')).toBe(3);
  await days.stop();
});

test('what was stored before this process began counts, also where the store refuses more from the start', async () => {
  const { answer, stats, days } = open();
  stats.accepted('s', 4);
  await stats.flush();
  answer.refuses = true;
  stats.accepted('s', 1);
  await days.start();
  expect(days.today('s')).toBe(4);
  await days.stop();
});

test('a limit that comes between two looks counts what was accepted that day', async () => {
  const { clock, days, accept } = open([]);
  await days.start();
  accept(3);
  expect(days.today('s')).toBe(3);
  clock.advance(DAY_MS);
  await settled();
  expect(days.today('s')).toBe(0);
  await days.stop();
});
