import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { Trouble } from '../core/trouble.ts';
import { RetentionService } from './retention.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

let clock: HandClock;
let log: string[];
let trouble: Trouble;
/** What the store was asked to drop, as ages. */
let asked: number[];
/** The offsets that it was asked with. */
let readTo: (readonly number[] | undefined)[];
let answers: (() => Promise<number>)[];
beforeEach(() => {
  clock = new HandClock();
  log = [];
  trouble = new Trouble('old data could not be dropped', (_, what) => log.push(`error: ${what}`));
  asked = [];
  readTo = [];
  answers = [];
});

function retention(keep: number): RetentionService {
  return new RetentionService({
    clock,
    keep,
    store: {
      expire: (before, takenIn) => {
        asked.push(clock.now() - before);
        readTo.push(takenIn);
        return answers.shift()?.() ?? Promise.resolve(0);
      },
    },
    takenIn: async () => [7, 9],
    log: { info: (_, message) => log.push(message) },
    trouble,
  });
}

async function pass(ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
}

test.each([
  ['every hour', 7 * DAY, HOUR],
  ['ten times in what is kept, where that is little', HOUR, HOUR / 10],
])('it looks at start and then %s', async (_, keep, every) => {
  const service = retention(keep);
  await service.start();
  await pass(0);
  expect(asked).toEqual([keep]);
  await pass(every - 1);
  expect(asked).toHaveLength(1);
  await pass(1);
  await pass(every);
  expect(asked).toEqual([keep, keep, keep]);
  await service.stop();
});

test('what a reader of the whole log has not taken in is to stay', async () => {
  const service = retention(DAY);
  await service.start();
  await pass(0);
  expect(readTo).toEqual([[7, 9]]);
  await service.stop();
});

test('a clock that was set forward makes nothing older', async () => {
  clock = Object.assign(new HandClock(), { skipped: () => DAY });
  const service = retention(7 * DAY);
  await service.start();
  await pass(0);
  expect(asked).toEqual([8 * DAY]);
  await service.stop();
});

test('it says when something went, and only then', async () => {
  const service = retention(DAY);
  answers.push(async () => 2);
  await service.start();
  await pass(0);
  await pass(HOUR);
  expect(log).toEqual(['dropped old data']);
  await service.stop();
});

test('an error is told for as long as it lasts, and it goes on', async () => {
  const service = retention(DAY);
  answers.push(() => Promise.reject(new Error('The disk is gone.')));
  await service.start();
  await pass(0);
  expect(trouble.words()).toBe('old data could not be dropped: The disk is gone.');
  await pass(HOUR);
  expect(trouble.words()).toBeNull();
  expect(log).toEqual(['error: old data could not be dropped; trying again']);
  expect(asked).toHaveLength(2);
  await service.stop();
});

test('a stop waits for what is under way, and nothing follows', async () => {
  const service = retention(DAY);
  const { promise, resolve } = Promise.withResolvers<number>();
  answers.push(() => promise);
  await service.start();
  await pass(0);
  let stopped = false;
  const stop = service.stop().then(() => {
    stopped = true;
  });
  await setImmediate();
  expect(stopped).toBe(false);
  resolve(0);
  await stop;
  expect(clock.pending).toBe(0);
  await pass(DAY);
  expect(asked).toHaveLength(1);
});

test('start and stop are fine twice, and in the wrong order', async () => {
  const service = retention(DAY);
  await service.stop();
  await service.start();
  await service.start();
  await pass(0);
  expect(asked).toHaveLength(1);
  await service.stop();
  await service.stop();
  expect(clock.pending).toBe(0);
});
