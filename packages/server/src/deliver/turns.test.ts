import { expect, test } from 'vitest';
import { HandClock } from '../../../../test/hand-clock.ts';
import { ALONE } from './peers.ts';
import { Runner } from './runner.ts';
import { destinationOf, entryOf, laneOf, success, TestLane, TestWorld } from './test-world.ts';
import { Turns } from './turns.ts';

test('what was begun is followed by a turn of the loop, however long ago it was', () => {
  const clock = new HandClock();
  const turns = new Turns({ clock, peers: ALONE });
  for (let i = 0; i < 63; i++) turns.spend();
  expect([turns.open, clock.pending]).toEqual([true, 0]);
  turns.spend();
  expect([turns.open, clock.pending]).toEqual([false, 1]);
  clock.advance(0);
  expect([turns.open, clock.pending]).toEqual([true, 0]);
});

test('those that wait have their parts in order, each a part of a turn, until none has more to begin', () => {
  const clock = new HandClock();
  const turns = new Turns({ clock, peers: ALONE });
  const begun: string[] = [];
  const runner = (name: string, count: number): (() => void) => {
    let left = count;
    const go = (): void => {
      while (left > 0 && turns.open) {
        left--;
        begun.push(name);
        turns.spend();
      }
      if (left > 0) turns.ask(go);
    };
    return go;
  };
  const runners = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => runner(name, 100));
  for (const go of runners) go();
  expect(begun.join('')).toBe('a'.repeat(64));
  clock.advance(0);
  expect(begun).toHaveLength(600);
  const parts = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => name.repeat(16));
  expect(begun.slice(64, 64 + 96).join('')).toBe(parts.join(''));
});

test('a hundred destinations with a page each begin no more than a turn holds, and then go on', async () => {
  const world = new TestWorld();
  const turns = new Turns(world);
  const lanes = Array.from({ length: 100 }, (_, i) => {
    const lane = new TestLane();
    new Runner(destinationOf(['a']), world, turns).addLane(laneOf(i), lane);
    return lane;
  });
  await Promise.all(lanes.map((lane, i) => lane.give(...Array.from({ length: 8 }, (_, n) => entryOf(`m${i}.${n}`)))));
  expect(world.underWay).toHaveLength(64);
  await world.pass(0);
  expect(new Set(world.underWay).size).toBe(800);
});

test('nothing is begun while it is not known what other nodes have changed, and then by what they have', async () => {
  const world = new TestWorld();
  const heard = Promise.withResolvers<void>();
  world.isCurrent = false;
  world.catchUp = () => heard.promise;
  world.answers.set('new', success);
  const lane = new TestLane();
  const runner = new Runner(destinationOf(['old']), world);
  runner.addLane(laneOf(1), lane);
  await lane.give(entryOf('m1'));
  expect([world.sent, world.results]).toEqual([[], []]);
  world.isCurrent = true;
  runner.update(destinationOf(['new']));
  heard.resolve();
  await world.pass(0);
  await world.pass(0);
  expect(world.sent).toEqual(['new m1']);
  world.isCurrent = false;
  world.catchUp = async () => undefined;
  await lane.give(entryOf('m2'));
  await world.pass(0);
  await world.pass(0);
  expect(world.sent).toEqual(['new m1']);
  world.isCurrent = true;
  await world.pass(0);
  await world.pass(0);
  expect(world.sent).toEqual(['new m1', 'new m2']);
  await runner.stop();
});
