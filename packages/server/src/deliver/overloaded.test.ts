import { beforeEach, describe, expect, test } from 'vitest';
import type { Outcome } from '../core/delivery.ts';
import type { Destination } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, retryOf, success, TestLane, TestWorld } from './test-world.ts';

let world: TestWorld;
let lane: TestLane;
beforeEach(() => {
  world = new TestWorld();
  lane = new TestLane();
  world.answers.set('a', success);
});

function runnerOf(urls: readonly string[], changes: Partial<Destination> = {}): Runner {
  const runner = new Runner(destinationOf(urls, changes), world);
  runner.addLane(laneOf(1), lane);
  return runner;
}

function limited(retryAfter: number): Outcome {
  return { ...down, status: 429, retryAfter };
}

/** How many messages were sent to the URL. */
function sentTo(url: string): number {
  return world.sent.filter((sent) => sent.startsWith(url)).length;
}

const leftOut = { error: 'url_overloaded', status: null };

describe('a URL that takes one message a second, where ten come', () => {
  async function flow(seconds: number, slow: readonly string[] = ['b'], changes?: Partial<LogEntry>): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      for (let i = 0; i < 10; i++) await lane.give(entryOf(`m${second * 10 + i}`, changes));
      for (const url of slow) await world.answer(url, success);
      await world.pass(1_000);
    }
  }

  test('gets as many as it takes, and none of the others waits for it for long', async () => {
    const runner = runnerOf(['a', 'b']);
    await flow(120);
    expect(sentTo('a')).toBe(1_200);
    expect(sentTo('b')).toBeGreaterThanOrEqual(120);
    // Those that it has under way, those that it takes in a minute, and those of the last second.
    expect(1_200 - world.results.length).toBeLessThanOrEqual(8 + 60 + 10);
    expect(new Set(world.results.map(({ state }) => state))).toEqual(new Set(['processed']));
    expect(world.endsOf('m405')).toMatchObject([
      { attempts: expect.arrayContaining([expect.objectContaining(leftOut)]) },
    ]);
    expect(runner.status.urls).toMatchObject([{ overloaded: false }, { overloaded: true, stalled: false }]);
  });

  test('holds none up by the size of what waits for it', async () => {
    runnerOf(['a', 'b']);
    await flow(60, ['b'], { body: Buffer.alloc(1_000_000, 'x') });
    expect(sentTo('a')).toBe(600);
    expect(sentTo('b')).toBeGreaterThanOrEqual(60);
  });

  test('waits for delete messages alone', async () => {
    runnerOf(['a', 'b']);
    await flow(60);
    await lane.give(entryOf('deleted', { type: 'delete' }), entryOf('late'));
    expect(world.endsOf('late')).toMatchObject([{ state: 'processed' }]);
    world.answers.set('b', success);
    while (world.underWay.length > 0) await world.answer('b', success);
    expect(world.endsOf('deleted')).toMatchObject([{ attempts: [{ url: 'a' }, { url: 'b', status: 200 }] }]);
  });

  test('gets the others later, where each URL has to take a message', async () => {
    runnerOf(['a', 'b'], { success: 'all' });
    await flow(60);
    expect(sentTo('a')).toBe(600);
    expect(world.endsOf('m405')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', '+'] }]);
  });

  test.each([[['b']], [['b', 'c']]])('is waited for where no other is faster: %s', async (urls) => {
    runnerOf(urls);
    await flow(30, urls);
    expect(world.results.length).toBe(30);
    expect(world.results.flatMap(({ attempts }) => attempts)).not.toContainEqual(expect.objectContaining(leftOut));
  });

  test('gets what the retry queue has for it alone one after the other, as it takes them', async () => {
    const runner = runnerOf(['a', 'b']);
    await flow(30);
    const ids = Array.from({ length: 30 }, (_, i) => `r${i}`);
    await world.queue(runner, ...ids.map((id) => retryOf(id, { urlsLeft: ['b', '='] })));
    await flow(1);
    const waits = ids.flatMap((id) => world.endsOf(id).map(({ dueAt, at }) => (dueAt ?? 0) - at));
    expect(waits.length).toBeGreaterThan(25);
    // Behind those that wait, which it takes in a minute.
    expect(waits[0]).toBeGreaterThan(60_000);
    for (const [place, wait] of waits.entries())
      expect(wait - (waits[place - 1] ?? wait - 1_000)).toBeCloseTo(1_000, -3);
  });

  test('is no longer called overloaded a minute after it keeps up again', async () => {
    const runner = runnerOf(['a', 'b']);
    await flow(30);
    world.answers.set('b', success);
    while (world.underWay.length > 0) await world.answer('b', success);
    await world.pass(60_000);
    expect(runner.status.urls).toMatchObject([{ overloaded: false }, { overloaded: false }]);
    const before = sentTo('b');
    await lane.give(...Array.from({ length: 500 }, (_, i) => entryOf(`n${i}`)));
    for (let i = 0; i < 100; i++) await world.pass(1);
    expect(sentTo('b') - before).toBe(500);
  });
});

test('a URL is not judged by time in which the machine slept', async () => {
  runnerOf(['a', 'b']);
  await lane.give(...Array.from({ length: 40 }, (_, i) => entryOf(`m${i}`)));
  await world.pass(3_600_000);
  for (let i = 0; i < 40; i++) await world.answer('b', success);
  expect(sentTo('b')).toBe(40);
});

describe('a URL that asks for a pause', () => {
  test('of half a minute: no message waits for it, those in its queue neither', async () => {
    const runner = runnerOf(['a', 'b']);
    await lane.give(...Array.from({ length: 20 }, (_, i) => entryOf(`m${i}`)));
    await world.answer('b', limited(30_000));
    expect(world.endsOf('m19')).toMatchObject([{ state: 'processed' }]);
    await lane.give(entryOf('next'));
    expect(world.endsOf('next')).toMatchObject([{ state: 'processed', attempts: [{ url: 'a' }, leftOut] }]);
    expect(runner.status.urls).toMatchObject([{ overloaded: false }, { overloaded: true }]);
    await world.pass(30_000);
    while (world.underWay.length > 0) await world.answer('b', success);
    await lane.give(entryOf('after'));
    expect(world.underWay).toEqual(['b after']);
  });

  test('of seconds: they wait', async () => {
    runnerOf(['a', 'b']);
    await lane.give(entryOf('m1'));
    await world.answer('b', limited(5_000));
    await lane.give(entryOf('m2'));
    expect(world.endsOf('m2')).toEqual([]);
    await world.pass(5_000);
    await world.answer('b', success);
    expect(world.endsOf('m2')).toMatchObject([{ attempts: [{ url: 'a' }, { url: 'b', status: 200 }] }]);
  });

  test('of seconds: all that come meanwhile wait, where it is fast', async () => {
    runnerOf(['a', 'b']);
    await lane.give(entryOf('m'));
    await world.answer('b', limited(10_000));
    world.answers.set('b', success);
    for (let second = 0; second < 30; second++) {
      for (let i = 0; i < 20; i++) await lane.give(entryOf(`m${second * 20 + i}`));
      await world.pass(1_000);
    }
    expect(sentTo('b')).toBe(601);
  });

  test('holds up no later call of the same user', async () => {
    runnerOf(['a', 'b'], { order: 'user' });
    await lane.give(...['m1', 'm2', 'm3'].map((id) => entryOf(id)));
    await world.answer('b', limited(30_000));
    expect(world.endsOf('m3')).toMatchObject([{ state: 'processed' }]);
  });

  test('does not hold up what the retry queue has for the other', async () => {
    const runner = runnerOf(['a', 'b'], { success: 'all' });
    await lane.give(entryOf('m1'));
    await world.answer('b', limited(30_000));
    await world.queue(runner, retryOf('r1', { urlsLeft: ['b', '+'] }), retryOf('r2', { urlsLeft: ['a', '+'] }));
    expect(world.endsOf('r1')).toMatchObject([{ state: 'retrying', attempts: [leftOut] }]);
    expect(world.endsOf('r2')).toMatchObject([{ state: 'processed' }]);
  });

  test('is waited for where the other has failed', async () => {
    runnerOf(['a', 'b']);
    world.answers.set('a', limited(30_000));
    await lane.give(entryOf('m1'));
    await world.answer('b', limited(30_000));
    await lane.give(entryOf('m2'));
    expect(world.endsOf('m2')).toEqual([]);
  });
});

test('no more is begun while large messages wait for a URL', async () => {
  runnerOf(['a', 'b']);
  const body = Buffer.alloc(30_000, 'x');
  for (let i = 0; i < 1_000; i++) {
    await lane.give(entryOf(`m${i}`, { body }));
    await world.pass(0);
  }
  expect(sentTo('a') * body.length).toBeLessThan(9 * 1024 * 1024);
});
