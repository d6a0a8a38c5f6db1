import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const PART = 16_384;

/** Requests of these sizes that come at the same moment, and the numbers of those that were read. */
function requests(turns: Turns, ...sizes: readonly number[]): number[] {
  const read: number[] = [];
  for (const [number, bytes] of sizes.entries()) {
    const go = (): void => {
      read.push(number);
      turns.spend(bytes);
    };
    const turn = turns.wait();
    if (turn) void turn.then(go);
    else go();
  }
  return read;
}

test('what fits into a turn is read at once, what does not in the next ones, in order', async () => {
  const read = requests(new Turns(), PART / 2, PART / 2, PART / 2, PART / 2, PART / 2);
  expect(read).toEqual([0, 1]);
  await setImmediate();
  expect(read).toEqual([0, 1, 2, 3]);
  await setImmediate();
  expect(read).toEqual([0, 1, 2, 3, 4]);
});

test('a large request is read whole, and the next one when its bytes are made up for', async () => {
  const turns = new Turns();
  const read = requests(turns, 3 * PART, 1);
  for (let turn = 0; turn < 3; turn++) {
    expect(read).toEqual([0]);
    await setImmediate();
  }
  expect(read).toEqual([0, 1]);
  await setImmediate();
  expect(requests(turns, PART, 1)).toEqual([0]);
});

test('one that comes later waits behind those that wait, also when a turn has room', async () => {
  const turns = new Turns();
  const read = requests(turns, PART, 1);
  const late = requests(turns, 1);
  await setImmediate();
  expect([read, late]).toEqual([[0, 1], [0]]);
});

test('turns in which nothing is read are not saved up', async () => {
  const turns = new Turns();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(requests(turns, PART, PART)).toEqual([0]);
});
