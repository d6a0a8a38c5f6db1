import { describe, expect, test } from 'vitest';
import { type Entry, Queue } from './queue.ts';

const ALL = Number.POSITIVE_INFINITY;

function entry(position: number, bytes: number): Entry {
  return { text: '', bytes, position };
}

function filled(...sizes: readonly number[]): Queue {
  const queue = new Queue();
  for (const [position, bytes] of sizes.entries()) queue.push(entry(position, bytes));
  return queue;
}

function positions(entries: readonly Entry[]): number[] {
  return entries.map(({ position }) => position);
}

describe('take', () => {
  test.each([
    ['nothing from an empty queue', [], 5, ALL, 0],
    ['no more than there is', [10, 10], 5, ALL, 2],
    ['as many as asked', [10, 10, 10], 2, ALL, 2],
    ['none where none is asked', [10], 0, ALL, 0],
    ['what fits, the commas between counted', [10, 10, 10], ALL, 32, 3],
    ['one less for a byte less', [10, 10, 10], ALL, 31, 2],
    ['a single one that just fits', [10, 10], ALL, 10, 1],
    ['none when the first does not fit, though a later one would', [11, 1], ALL, 10, 0],
    ['none into less than no room', [1], ALL, -5, 0],
  ])('answers %s', (_, sizes, count, bytes, taken) => {
    const queue = filled(...sizes);
    expect(positions(queue.take(count, bytes))).toEqual(sizes.map((_size, i) => i).slice(0, taken));
    const left = sizes.slice(taken);
    expect(queue.length).toBe(left.length);
    expect(queue.bytes).toBe(left.reduce((sum, size) => sum + size, 0));
    expect(positions(queue.take())).toEqual(left.map((_size, i) => taken + i));
    expect([queue.length, queue.bytes]).toEqual([0, 0]);
  });
});

test('order, length and bytes hold, however pushes and takes follow each other', () => {
  const queue = new Queue();
  const model: Entry[] = [];
  const taken: Entry[] = [];
  let pushed = 0;
  for (let round = 0; round < 500; round += 1) {
    for (let i = 0; i < (round * 7) % 5; i += 1) {
      const next = entry(pushed, 1 + ((pushed * 31) % 17));
      pushed += 1;
      queue.push(next);
      model.push(next);
    }
    taken.push(...queue.take((round * 3) % 4, 20 + (round % 15)));
    model.splice(0, taken.length - (pushed - model.length));
    expect(queue.length).toBe(model.length);
    expect(queue.bytes).toBe(model.reduce((sum, { bytes }) => sum + bytes, 0));
  }
  expect(positions([...taken, ...queue.take()])).toEqual(Array.from({ length: pushed }, (_, i) => i));
});
