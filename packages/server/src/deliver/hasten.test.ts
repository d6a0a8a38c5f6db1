import { beforeEach, expect, test } from 'vitest';
import type { Position } from '../core/event.ts';
import { Hastening } from './hasten.ts';
import { TestWorld } from './test-world.ts';

/** Steps that were asked of the retry queue. */
let steps: (number | readonly Position[])[];
/** What each step answers; one that is missing fails. */
let answers: number[];
let world: TestWorld;
let hastening: Hastening;
let isStopped: boolean;
beforeEach(() => {
  [steps, answers, isStopped] = [[], [], false];
  const hasten = async (_: string, __: number, of: number | readonly Position[]): Promise<number> => {
    steps.push(of);
    const count = answers.shift();
    if (count === undefined) throw new Error('The store is away.');
    return count;
  };
  world = Object.assign(new TestWorld(), { hasten });
  const hastened = (): void => undefined;
  hastening = new Hastening({ destinationId: 'dst_1', world, isStopped: () => isStopped, hastened });
});

test('what fails is made due as soon as that succeeds, with what was asked for meanwhile', async () => {
  hastening.these([1, 2]);
  await world.pass(0);
  hastening.these([2, 3]);
  hastening.all(1000);
  await world.pass(1_000);
  expect(world.errors).toHaveLength(2);
  answers = [3, 5_000];
  await world.pass(1_000);
  answers = [1, 7, 0];
  hastening.these([4]);
  await world.pass(1_000);
  expect(steps).toEqual([[1, 2], [1, 2, 3], [1, 2, 3], 5_000, 5_000, [4], 5_000, 5_000]);
  await world.pass(10_000);
  expect(steps).toHaveLength(8);
});

test('one message is asked for again though the step that has it is under way', async () => {
  answers = [0, 1];
  hastening.these([1]);
  await Promise.resolve();
  hastening.these([1]);
  await world.pass(0);
  expect(steps).toEqual([[1], [1]]);
});

test('nothing is tried after a stop', async () => {
  hastening.these([1]);
  await world.pass(0);
  isStopped = true;
  await world.pass(10_000);
  expect(steps).toEqual([[1]]);
});
