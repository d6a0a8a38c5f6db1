import { expect, onTestFinished, test } from 'vitest';
import { HandClock } from '../../../test/hand-clock.ts';
import { AcceptanceRate } from './acceptance-rate.ts';

interface World {
  readonly clock: HandClock;
  readonly rate: AcceptanceRate;
  readonly told: number[];
  /** What this node accepts from now on. */
  accepts(perSecond: number): void;
}

async function node({ nodes = 2, every = 2_000 as number | null } = {}): Promise<World> {
  const clock = new HandClock();
  const told: number[] = [];
  let own = 0;
  const rate = new AcceptanceRate({
    clock,
    own: () => own,
    peers: { count: () => nodes, tellRate: (perSecond) => told.push(perSecond) },
    every,
  });
  await rate.start();
  onTestFinished(() => rate.stop());
  const accepts = (perSecond: number): void => {
    own = perSecond;
  };
  return { clock, rate, told, accepts };
}

/** Lets a run that is due end, so that the next one is planned. */
async function later({ clock }: World, ms: number): Promise<void> {
  clock.advance(ms);
  await Promise.resolve();
  await Promise.resolve();
}

test('the rate is that of all nodes, and a node that is silent no longer counts', async () => {
  const world = await node();
  world.accepts(1.5);
  world.rate.told(2, 10);
  world.rate.told(3, 100);
  expect(world.rate.perSecond()).toBe(111.5);
  await later(world, 6_000);
  world.rate.told(2, 20);
  expect(world.rate.perSecond()).toBe(121.5);
  await later(world, 1);
  expect(world.rate.perSecond()).toBe(21.5);
});

test('the others are told while there is something to tell, and once that there is nothing', async () => {
  const world = await node();
  await later(world, 0);
  expect(world.told).toEqual([]);
  for (const perSecond of [3, 4, 0, 0]) {
    world.accepts(perSecond);
    await later(world, 2_000);
  }
  expect(world.told).toEqual([3, 4, 0]);
});

test('a node alone and a process without others tell nothing', async () => {
  for (const world of [await node({ nodes: 1 }), await node({ every: null })]) {
    world.accepts(3);
    await later(world, 2_000);
    expect(world.told).toEqual([]);
    expect(world.rate.perSecond()).toBe(3);
  }
});
