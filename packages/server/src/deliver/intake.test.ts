import { beforeEach, expect, test } from 'vitest';
import type { LogEntry, Position } from '../core/event.ts';
import type { LaneReader } from '../log/contract.ts';
import { Intake } from './intake.ts';
import { entryOf, laneOf } from './test-world.ts';

/** A lane whose pages come when the test says so. */
class ScriptedReader implements LaneReader {
  readonly asked: number[] = [];
  readonly acked: Position[] = [];
  #page: PromiseWithResolvers<readonly LogEntry[]> = Promise.withResolvers();

  pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    this.asked.push(max);
    this.#page = Promise.withResolvers();
    signal.addEventListener('abort', () => this.#page.reject(signal.reason));
    return this.#page.promise;
  }

  ack(positions: readonly Position[]): void {
    this.acked.push(...positions);
  }

  async give(...positions: Position[]): Promise<void> {
    this.#page.resolve(positions.map((position) => entryOf(`m${position}`, { position })));
    await this.#page.promise;
  }

  async fail(): Promise<void> {
    this.#page.reject(new Error('The log is not well.'));
    await this.#page.promise.catch(() => undefined);
  }
}

let reader: ScriptedReader;
let intake: Intake;
let log: string[];
beforeEach(() => {
  reader = new ScriptedReader();
  intake = new Intake(laneOf(1), reader);
  log = [];
});

function refill(now = 0): void {
  intake.refill(
    now,
    4,
    () => log.push('arrived'),
    () => {
      log.push('failed');
      return 1_000;
    },
  );
}

test('it asks for one page at a time, and for the next when that is used up', async () => {
  refill();
  refill();
  expect(reader.asked).toEqual([4]);
  await reader.give(1, 2);
  expect(log).toEqual(['arrived']);
  refill();
  expect(intake.peek()?.position).toBe(1);
  expect([intake.take()?.position, intake.take()?.position, intake.take()]).toEqual([1, 2, undefined]);
  expect(reader.asked).toEqual([4]);
  refill();
  expect(reader.asked).toEqual([4, 4]);
});

test('a lane that has ended is asked no more', async () => {
  refill();
  await reader.give();
  expect(intake.drained).toBe(true);
  expect(log).toEqual([]);
  refill();
  expect(reader.asked).toHaveLength(1);
});

test('a page that could not be read is asked for again after a rest', async () => {
  refill();
  await reader.fail();
  expect(log).toEqual(['failed']);
  refill(999);
  expect([reader.asked.length, intake.restsUntil]).toEqual([1, 1_000]);
  refill(1_000);
  await reader.give(1);
  expect(log).toEqual(['failed', 'arrived']);
});

test('it acknowledges to its own lane', () => {
  intake.ack([3]);
  expect(reader.acked).toEqual([3]);
});

test('entries that were removed are acknowledged and not handed out, but for those that were taken before', async () => {
  refill();
  await reader.give(1, 2, 3, 4);
  intake.take();
  intake.withdraw(new Set([1, 2, 4, 9]));
  expect(reader.acked).toEqual([2, 4]);
  expect([intake.take()?.position, intake.take()]).toEqual([3, undefined]);
  refill();
  expect(reader.asked).toHaveLength(2);
});

test('a stop ends the waiting, forgets what was not taken and reports nothing', async () => {
  refill();
  await reader.give(1, 2);
  intake.take();
  intake.stop();
  expect(intake.peek()).toBeUndefined();
  expect(reader.acked).toEqual([]);
  refill();
  expect(reader.asked).toHaveLength(1);
});

test('a stop while it waits is no failure', async () => {
  refill();
  intake.stop();
  await reader.fail();
  expect(log).toEqual([]);
});
