import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Turns } from './turns.ts';

const PART = 8_192;
const MORE = PART + 1;

/** Requests of these sizes that come at the same moment, and the numbers of those that were read. */
function requests(turns: Turns, ...sizes: readonly number[]): number[] {
  const read: number[] = [];
  for (const [number, bytes] of sizes.entries()) {
    const go = (): void => {
      read.push(number);
      turns.spend(bytes);
    };
    const turn = turns.wait(bytes);
    if (turn) void turn.then(go);
    else go();
  }
  return read;
}

test('batches are read one after the other, each when the bytes of those before it are made up for', async () => {
  const read = requests(new Turns(), MORE, 3 * PART, MORE);
  const after: number[][] = [];
  for (let turn = 0; turn < 6; turn++) {
    after.push([...read]);
    await setImmediate();
  }
  expect(after.map(({ length }) => length)).toEqual([1, 2, 2, 2, 3, 3]);
  expect(read).toEqual([0, 1, 2]);
});

test('a small request is read at once, and takes nothing from those that wait', async () => {
  const turns = new Turns();
  const read = requests(turns, MORE, MORE, PART, PART, PART);
  expect(read).toEqual([0, 2, 3, 4]);
  await setImmediate();
  await setImmediate();
  expect(read).toEqual([0, 2, 3, 4, 1]);
});

test('a batch that comes later waits behind those that wait, also when a turn has room', async () => {
  const turns = new Turns();
  const read = requests(turns, MORE, MORE);
  await setImmediate();
  const late = requests(turns, MORE);
  for (let turn = 0; turn < 3; turn++) {
    await setImmediate();
    expect(late.length === 0 || read.length === 2).toBe(true);
  }
  expect([read, late]).toEqual([[0, 1], [0]]);
});

test('turns in which nothing is read are not saved up', async () => {
  const turns = new Turns();
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(requests(turns, MORE, MORE)).toEqual([0]);
});
