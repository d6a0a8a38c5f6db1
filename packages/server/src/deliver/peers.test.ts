import { beforeEach, expect, test } from 'vitest';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, success, TestLane, TestWorld } from './test-world.ts';

let world: TestWorld;
let lane: TestLane;
let runner: Runner;
beforeEach(() => {
  world = new TestWorld();
  world.nodes = 3;
  lane = new TestLane();
  runner = new Runner(destinationOf(['a']), world);
  runner.addLane(laneOf(1), lane);
});

/** Fails for as long as it takes to count as an outage. */
async function goDown(): Promise<void> {
  world.answers.set('a', down);
  while (runner.status.breaker === 'closed') {
    await lane.give(entryOf('down'));
    await world.pass(500);
  }
  world.answers.delete('a');
}

test('a node begins with its share of what a URL gets at first, and has a most of its own', async () => {
  world.answers.set('a', success);
  expect(runner.status.urls[0]?.concurrency).toBe(Math.floor(8 / 3));
  for (let i = 0; i < 100; i++) {
    await lane.give(...Array.from({ length: 64 }, () => entryOf('m')));
    await world.pass(0);
  }
  expect(runner.status.urls[0]?.concurrency).toBe(64);
});

test('an outage is told to the others once; its end when this node sends as many at once as there are nodes', async () => {
  await goDown();
  expect(world.told).toEqual(['down dst_1']);
  await lane.give(...['m1', 'm2', 'm3', 'm4'].map((id) => entryOf(id)));
  await world.pass(5_000);
  await world.answer('a', down);
  expect(world.told).toHaveLength(1);
  await world.pass(10_000);
  await world.answer('a', success);
  expect(runner.status.breaker).toBe('closed');
  expect(world.told).toHaveLength(1);
  await world.answer('a', success);
  await world.answer('a', success);
  expect(world.told).toEqual(['down dst_1', 'up dst_1']);
  await lane.give(entryOf('m5'));
  await world.answer('a', success);
  expect(world.told).toHaveLength(2);
});

test('told of an outage it sends nothing but its probe; told of the end, it probes at once', async () => {
  runner.told('down');
  await lane.give(entryOf('m1'), entryOf('m2'), entryOf('m3'));
  expect(world.underWay).toEqual([]);
  runner.told('up');
  expect(world.underWay).toEqual(['a m1']);
  await world.answer('a', success);
  expect(runner.status.breaker).toBe('closed');
  expect(world.underWay.length).toBeGreaterThan(0);
});
