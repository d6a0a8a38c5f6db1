import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import type { DeliveryResult } from '../core/delivery.ts';
import { entryOf, laneOf } from '../deliver/test-world.ts';
import { resultOf } from './conformance.ts';
import type { DeliveryStore } from './contract.ts';
import { Recorder } from './recorder.ts';

/** A store that answers each batch when the test says so. */
class ScriptedSink implements Pick<DeliveryStore, 'settle'> {
  readonly batches: string[] = [];
  #answer: PromiseWithResolvers<void> = Promise.withResolvers();

  settle(batch: readonly DeliveryResult[]): Promise<void> {
    this.batches.push(batch.map(({ entry }) => entry.messageId).join(' '));
    this.#answer = Promise.withResolvers();
    return this.#answer.promise;
  }

  async take(): Promise<void> {
    this.#answer.resolve();
    await setImmediate();
  }

  async refuse(): Promise<void> {
    this.#answer.reject(new Error('The store is not well.'));
    await setImmediate();
  }
}

let sink: ScriptedSink;
let clock: HandClock;
let recorder: Recorder;
let log: string[];
beforeEach(() => {
  sink = new ScriptedSink();
  clock = new HandClock();
  log = [];
  recorder = new Recorder(sink, (error) => log.push(String(error)), { clock });
});

function record(...messageIds: string[]): void {
  for (const messageId of messageIds)
    recorder.record(resultOf(laneOf(1), entryOf(messageId)), () => log.push(messageId));
}

test('what comes at one moment is one batch, and what comes while it is written is the next', async () => {
  record('a', 'b');
  await setImmediate();
  record('c');
  record('d');
  expect(sink.batches).toEqual(['a b']);
  await sink.take();
  expect(sink.batches).toEqual(['a b', 'c d']);
  await sink.take();
  expect(log).toEqual(['a', 'b', 'c', 'd']);
});

test('a few wait for more where that is asked for, and many do not', async () => {
  recorder = new Recorder(sink, (error) => log.push(String(error)), { clock, linger: 10 });
  record('a');
  await setImmediate();
  record('b');
  clock.advance(9);
  await setImmediate();
  expect(sink.batches).toEqual([]);
  clock.advance(1);
  await setImmediate();
  expect(sink.batches).toEqual(['a b']);
  const many = Array.from({ length: 100 }, (_, i) => `m${i}`);
  record(...many);
  await sink.take();
  expect(sink.batches).toEqual(['a b', many.join(' ')]);
});

test('nothing counts as recorded before it is durable', async () => {
  record('a');
  await setImmediate();
  expect(log).toEqual([]);
  await sink.take();
  expect(log).toEqual(['a']);
});

test('what the store refuses is kept, and tried again with what came since', async () => {
  record('a', 'b');
  await setImmediate();
  await sink.refuse();
  expect(log).toEqual(['Error: The store is not well.']);
  record('c');
  clock.advance(499);
  await setImmediate();
  expect(sink.batches).toEqual(['a b']);
  clock.advance(1);
  await setImmediate();
  expect(sink.batches).toEqual(['a b', 'a b c']);
  await sink.take();
  expect(log.slice(1)).toEqual(['a', 'b', 'c']);
});

test('a flush waits for everything given so far, also for what was refused', async () => {
  let flushed = false;
  record('a');
  await setImmediate();
  record('b');
  const flush = recorder.flush().then(() => {
    flushed = true;
  });
  await sink.refuse();
  clock.advance(500);
  await setImmediate();
  expect(flushed).toBe(false);
  await sink.take();
  await flush;
  expect(log.slice(1)).toEqual(['a', 'b']);
});

test('a flush of nothing is done at once', async () => {
  await recorder.flush();
  expect(sink.batches).toEqual([]);
});

test('one that fails at being told keeps nothing from the others', async () => {
  recorder.record(resultOf(laneOf(1), entryOf('a')), () => {
    throw new Error('This is a bug.');
  });
  record('b');
  await setImmediate();
  await sink.take();
  expect(log).toEqual(['Error: This is a bug.', 'b']);
  record('c');
  await setImmediate();
  await sink.take();
  expect(log.at(-1)).toBe('c');
});
