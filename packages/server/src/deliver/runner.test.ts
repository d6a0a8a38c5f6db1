import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Clock } from '../core/clock.ts';
import { webhookIdOf } from '../settings/webhook-id.ts';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, refused, retryOf, success, TestLane, TestWorld } from './test-world.ts';

let world: TestWorld;
let lane: TestLane;
beforeEach(() => {
  world = new TestWorld();
  lane = new TestLane();
});

function runnerOf(...urls: string[]): Runner {
  const runner = new Runner(destinationOf(urls), world);
  runner.addLane(laneOf(1), lane);
  return runner;
}

/** Messages that the URL does not take, over half a minute: the breaker opens. */
async function goDown(runner: Runner, url: string): Promise<void> {
  world.answers.set(url, down);
  while (runner.status.breaker === 'closed') {
    await lane.give(entryOf('down'));
    await world.pass(500);
  }
  world.answers.delete(url);
}

test('a message goes to every URL at once, and is acknowledged when its record is durable', async () => {
  runnerOf('a', 'b');
  const entry = entryOf('m1');
  await lane.give(entry);
  expect(world.underWay).toEqual(['a m1', 'b m1']);
  await world.answer('a', success);
  expect(world.results).toEqual([]);
  world.storeStandsStill = true;
  await world.answer('b', down);
  expect(world.results).toMatchObject([{ state: 'processed', rounds: 1, attempts: [{ url: 'a' }, { url: 'b' }] }]);
  expect(lane.acked).toEqual([]);
  world.storeStandsStill = false;
  const second = entryOf('m2');
  await lane.give(second);
  await world.answer('a', success);
  await world.answer('b', success);
  expect(lane.acked).toEqual([second.position]);
});

test('what the log has dropped fails without an attempt, also where nothing can be sent', async () => {
  world.gone = ['m1', 'm2'].map((id) => retryOf(id, { rounds: 3 }));
  const runner = runnerOf('a');
  await setImmediate();
  expect(world.results).toMatchObject(
    ['m1', 'm2'].map((messageId) => ({
      ...{ state: 'failed', reason: 'retention_ended', rounds: 3, attempts: [] },
      entry: { messageId },
    })),
  );
  await goDown(runner, 'a');
  world.gone = [retryOf('m3')];
  runner.wake();
  await setImmediate();
  expect(world.endsOf('m3')).toMatchObject([{ state: 'failed', reason: 'retention_ended' }]);
  expect(world.sent.filter((sent) => /m[123]/.test(sent))).toEqual([]);
});

test('the retry window begins with the first request, however busy the process is', async () => {
  let time = world.clock.now();
  const clock: Clock = { now: () => time++, after: (ms, run) => world.clock.after(ms, run) };
  new Runner(destinationOf(['a']), world.with({ clock })).addLane(laneOf(1), lane);
  await lane.give(entryOf('m1'));
  await world.answer('a', down);
  const [result] = world.results;
  expect(result).toMatchObject({ state: 'retrying', firstAt: result?.attempts[0]?.at });
});

test('no source waits behind another', async () => {
  const runner = new Runner(destinationOf(['a']), world.with({ maxConcurrency: 1 }));
  const [one, two] = [new TestLane(), new TestLane()];
  runner.addLane(laneOf(1, 'src_1'), one);
  runner.addLane(laneOf(2, 'src_2'), two);
  await one.give(...['m1', 'm2', 'm3', 'm4'].map((id) => entryOf(id)));
  await two.give(...['n1', 'n2'].map((id) => entryOf(id, { sourceId: 'src_2' })));
  for (let i = 0; i < 6; i++) await world.answer('a', success);
  const order = world.results.map(({ entry }) => entry.messageId);
  expect(order.indexOf('n2')).toBeLessThanOrEqual(4);
  expect(order).toHaveLength(6);
});

test('with a store that stands still, a destination holds its window and a page, and no more', async () => {
  runnerOf('a');
  world.answers.set('a', success);
  world.storeStandsStill = true;
  await lane.give(...Array.from({ length: 5000 }, (_, i) => entryOf(`m${i}`)));
  for (let i = 0; i < 1000; i++) {
    await setImmediate();
    world.clock.advance(0);
  }
  expect(world.results).toHaveLength(2048);
  expect(lane.left).toBeGreaterThan(5000 - 2048 - 256 - 1);
});

describe('a URL that fails all the time', () => {
  let runner: Runner;
  beforeEach(async () => {
    runner = runnerOf('a', 'b');
    world.answers.set('a', success);
    world.answers.set('b', down);
    for (let i = 0; i < 10; i++) {
      await lane.give(entryOf(`m${i}`));
      await world.pass(200);
    }
    world.answers.delete('b');
  });

  test('is left out where it has no room, as long as a sibling works', async () => {
    await lane.give(entryOf('x'));
    for (let i = 0; i < 10; i++) await lane.give(entryOf(`n${i}`));
    const ends = world.results.filter(({ entry }) => entry.messageId.startsWith('n'));
    const end = { state: 'processed', attempts: [{ error: 'url_stalled' }, { url: 'a' }] };
    expect(ends).toMatchObject(Array(10).fill(end));
    // It is tried all the same, as far as it has room, and so is found well again.
    expect(world.underWay).toEqual(['b x']);
    expect(runner.status.urls).toMatchObject([{ stalled: false }, { stalled: true, concurrency: 1 }]);
  });

  test('delays no other URL with the messages that only it has not refused', async () => {
    world.retryQueue = ['r1', 'r2', 'r3'].map((id) => retryOf(id, { urlsLeft: ['b'] }));
    runner.wake();
    await setImmediate();
    await lane.give(entryOf('fresh'));
    expect(world.underWay).toEqual(['b r1']);
    expect(world.endsOf('fresh')).toMatchObject([{ state: 'processed' }]);
    expect(world.endsOf('r3')).toMatchObject([{ state: 'retrying', urlsLeft: ['b'], rounds: 2 }]);
  });
});

test('a message of the retry queue that has to wait for its URL lets fresh ones pass', async () => {
  const runner = runnerOf('a', 'b');
  world.answers.set('a', success);
  await lane.give(...Array.from({ length: 8 }, (_, i) => entryOf(`m${i}`)));
  world.retryQueue = [retryOf('retry', { urlsLeft: ['b'] })];
  runner.wake();
  await setImmediate();
  await lane.give(entryOf('fresh'));
  expect(world.sent).toContain('a fresh');
  expect(world.sent).not.toContain('b retry');
  for (let i = 0; i < 10; i++) await world.answer('b', success);
  expect(world.endsOf('fresh')).toMatchObject([{ state: 'processed' }]);
  expect(world.endsOf('retry')).toMatchObject([{ state: 'processed' }]);
});

describe('while the breaker is open', () => {
  test('nothing is sent but a probe, which is a fresh message where there is one', async () => {
    const runner = runnerOf('a');
    await goDown(runner, 'a');
    expect(runner.status.breaker).toBe('open');
    world.retryQueue = [retryOf('poison')];
    runner.wake();
    await lane.give(entryOf('fresh 1'), entryOf('fresh 2'));
    expect(world.underWay).toEqual([]);
    await world.pass((runner.status.probeAt ?? 0) - world.clock.now());
    expect(world.underWay).toEqual(['a fresh 1']);
    await world.answer('a', success);
    expect(runner.status.breaker).toBe('closed');
    expect(world.underWay).toEqual(['a poison']);
  });

  test('queues are emptied, so that nothing goes out of them either', async () => {
    const runner = runnerOf('a', 'b');
    world.answers.set('a', down);
    await lane.give(...Array.from({ length: 100 }, (_, i) => entryOf(`m${i}`)));
    for (let i = 0; i < 60; i++) {
      await world.pass(500);
      if (world.underWay.length > 0) await world.answer('b', down);
      await lane.give(entryOf(`n${i}`));
    }
    expect(runner.status.breaker).toBe('open');
    const before = world.underWay.length;
    if (before > 0) await world.answer('b', down);
    expect(world.underWay.length).toBeLessThan(Math.max(1, before));
  });

  test('what has outlived its window has failed, but for what a rule leaves out', async () => {
    const runner = runnerOf('a');
    await goDown(runner, 'a');
    const now = world.clock.now();
    const receivedAt = now - world.policy.window;
    world.retryQueue = [retryOf('retried', { firstAt: receivedAt }), retryOf('young', { firstAt: now })];
    runner.wake();
    const never = entryOf('never', { receivedAt, integrations: '{"All":false}' });
    await lane.give(entryOf('old', { receivedAt }), never, entryOf('late', { receivedAt: receivedAt + 1 }));
    const end = { state: 'failed', reason: 'window_ended', attempts: [] };
    expect(world.endsOf('old')).toMatchObject([{ ...end, rounds: 0 }]);
    expect(world.endsOf('retried')).toMatchObject([{ ...end, rounds: 1 }]);
    expect(world.endsOf('never')).toMatchObject([{ state: 'filtered', reason: 'integrations' }]);
    expect([...world.endsOf('late'), ...world.endsOf('young')]).toEqual([]);
    expect(world.underWay).toEqual([]);
  });

  test('a refusal is a sign of life', async () => {
    const runner = runnerOf('a');
    await goDown(runner, 'a');
    world.answers.set('a', refused);
    await lane.give(entryOf('probe'));
    await world.pass(60_000);
    expect(world.endsOf('probe')).toMatchObject([{ state: 'failed', reason: 'rejected' }]);
    expect(runner.status.breaker).toBe('closed');
  });
});

test('while the breaker is open, an old delete notice is put off and does not fail, so that others have their turn', async () => {
  const runner = runnerOf('a');
  await goDown(runner, 'a');
  const receivedAt = world.clock.now() - world.policy.window;
  await lane.give(entryOf('notice', { receivedAt, type: 'delete' }), entryOf('old', { receivedAt }));
  const dueAt = world.clock.now() + world.policy.cap;
  expect(world.endsOf('notice')).toMatchObject([{ state: 'retrying', rounds: 0, attempts: [], dueAt }]);
  expect(world.endsOf('old')).toMatchObject([{ state: 'failed', reason: 'window_ended' }]);
});

test('a runner that is abandoned gives back what it has claimed and not recorded', async () => {
  world.retryQueue = [retryOf('retried')];
  const runner = runnerOf('a');
  await setImmediate();
  expect(world.underWay).toEqual(['a retried']);
  void runner.stop();
  await runner.abandon();
  expect(world.results).toEqual([]);
  expect(world.released).toMatchObject([{ entry: { messageId: 'retried' } }]);
});

test('a runner that is abandoned gives back what its lanes have handed out', async () => {
  let closed = 0;
  const runner = new Runner(destinationOf(['a']), world);
  runner.addLane(laneOf(1), { pull: lane.pull.bind(lane), ack: lane.ack.bind(lane), close: () => closed++ });
  await lane.give(entryOf('m1'));
  void runner.stop();
  expect(closed).toBe(0);
  await runner.abandon();
  expect(closed).toBe(1);
});

test('messages that were removed are not begun any more, wherever they wait; a request that is under way ends by itself', async () => {
  const runner = new Runner(destinationOf(['a', 'b']), world.with({ maxConcurrency: 1 }));
  runner.addLane(laneOf(1), lane);
  const [first, queued, waiting, kept] = ['first', 'queued', 'waiting', 'kept'].map((id) => entryOf(id));
  if (!first || !queued || !waiting || !kept) throw new Error('There are four.');
  await lane.give(first, queued);
  // One URL has taken the first and gone on; at the other it still runs, and the second stands behind it.
  await world.answer('a', success);
  expect(world.underWay).toEqual(['b first', 'a queued']);
  await world.answer('a', down);
  await lane.give(waiting, kept);
  const removed = [retryOf('retried')];
  await world.queue(runner, ...removed);
  const gone = new Set([first, queued, waiting, ...removed.map(({ entry }) => entry)].map(({ position }) => position));
  runner.withdraw(gone);
  await world.pass(0);
  await world.answer('b', success);
  while (world.underWay.length > 0) await world.answer(world.underWay[0]?.split(' ')[0] ?? '', success);
  expect(world.sent.filter((request) => request.startsWith('b'))).toEqual(['b first', 'b kept']);
  expect(world.sent.filter((request) => request.endsWith('retried'))).toEqual([]);
  expect(world.released.map(({ entry }) => entry.messageId)).toEqual(['retried']);
  expect(world.endsOf('first')).toMatchObject([{ state: 'processed' }]);
  // Its record says that something was tried; the store has its end already.
  expect(world.endsOf('queued')[0]?.attempts.map(({ error }) => error)).toContain('aborted');
  expect(world.endsOf('kept')).toMatchObject([{ state: 'processed' }]);
});

describe('a change of the URLs', () => {
  test('ends what stood in the queues of the old ones', async () => {
    const runner = runnerOf('a', 'b');
    world.answers.set('a', success);
    await lane.give(...Array.from({ length: 12 }, (_, i) => entryOf(`m${i}`)));
    expect(world.underWay).toHaveLength(8);
    runner.update(destinationOf(['a', 'c']));
    await setImmediate();
    expect(world.results.length).toBeGreaterThan(0);
    expect(world.results[0]).toMatchObject({ state: 'processed', attempts: [{ url: 'a' }, { error: 'aborted' }] });
    while (world.underWay.some((each) => each.startsWith('b'))) await world.answer('b', success);
    while (world.underWay.length > 0) await world.answer('c', success);
    expect(world.results).toHaveLength(12);
    await runner.stop();
  });

  test('closes the breaker: new URLs deserve a fresh judgement', async () => {
    const runner = runnerOf('a');
    await goDown(runner, 'a');
    runner.update(destinationOf(['b']));
    expect(runner.status).toMatchObject({ breaker: 'closed', urls: [{ url: 'b', stalled: false }] });
  });

  test('leaves alone what is not changed: a URL that has moved, and what stands in its queue', async () => {
    const runner = runnerOf('a', 'b');
    world.answers.set('a', success);
    await lane.give(...Array.from({ length: 12 }, (_, i) => entryOf(`m${i}`)));
    const { underWay } = world;
    runner.update(destinationOf(['b', 'a']));
    await setImmediate();
    expect(world.underWay).toEqual(underWay);
    expect(world.results).toEqual([]);
    expect(runner.status.urls).toMatchObject([
      { id: 'b', inFlight: underWay.length },
      { id: 'a', inFlight: 0 },
    ]);
    while (world.underWay.length > 0) await world.answer('b', success);
    expect(world.results).toHaveLength(12);
    expect(world.results.every(({ attempts }) => attempts.every(({ error }) => error === null))).toBe(true);
  });

  test('closes the breaker for no order of the URLs', async () => {
    const runner = runnerOf('a', 'b');
    world.answers.set('b', down);
    await goDown(runner, 'a');
    runner.update(destinationOf(['b', 'a']));
    expect(runner.status.breaker).toBe('open');
  });

  test('sends what is left for a URL to the URL that has its id now, also what an earlier version named by its text', async () => {
    const before = 'https://before.test/';
    const [a] = destinationOf(['a']).webhooks;
    const runner = runnerOf('a');
    const webhooks = [...(a ? [a] : []), { id: webhookIdOf(before), url: 'https://now.test/', headers: {} }];
    runner.update(destinationOf([], { webhooks }));
    world.retryQueue = [retryOf('text', { urlsLeft: [before] }), retryOf('id', { urlsLeft: [webhookIdOf(before)] })];
    runner.wake();
    await setImmediate();
    expect(world.underWay).toEqual(['https://now.test/ text', 'https://now.test/ id']);
    await world.answer('https://now.test/', down);
    expect(world.endsOf('text')).toMatchObject([
      { urlsLeft: [webhookIdOf(before)], attempts: [{ webhookId: webhookIdOf(before), url: 'https://now.test/' }] },
    ]);
  });

  test('sends what is left for a URL that is gone to those there are', async () => {
    const runner = runnerOf('a', 'b');
    world.retryQueue = [retryOf('r', { urlsLeft: ['gone'] })];
    runner.wake();
    await setImmediate();
    expect(world.underWay).toEqual(['a r', 'b r']);
  });
});

describe('a stop', () => {
  test('waits for the requests under way and their records, not for the queues', async () => {
    const runner = runnerOf('a', 'b');
    world.answers.set('a', success);
    await lane.give(...Array.from({ length: 12 }, (_, i) => entryOf(`m${i}`)));
    let stopped = false;
    const stop = runner.stop().then(() => {
      stopped = true;
    });
    for (let i = 0; i < 8; i++) {
      expect(stopped).toBe(false);
      await world.answer('b', success);
    }
    await stop;
    expect(world.results.every(({ state }) => state === 'processed')).toBe(true);
    expect(lane.acked).toHaveLength(world.results.length);
  });

  test('takes nothing more, and gives back what was claimed', async () => {
    const runner = new Runner(destinationOf(['a']), world.with({ maxConcurrency: 1 }));
    runner.addLane(laneOf(1), lane);
    await lane.give(entryOf('m1'));
    world.retryQueue = [retryOf('r1')];
    runner.wake();
    await setImmediate();
    const stop = runner.stop();
    expect(world.released.map(({ entry }) => entry.messageId)).toEqual(['r1']);
    await world.answer('a', success);
    await stop;
    await lane.give(entryOf('m2'));
    await world.pass(3_600_000);
    expect(world.underWay).toEqual([]);
    expect(world.clock.pending).toBe(0);
  });

  test('that takes too long gives up, and records nothing of what it gave up', async () => {
    const runner = runnerOf('a', 'b');
    await lane.give(...Array.from({ length: 20 }, (_, i) => entryOf(`m${i}`)));
    const stop = runner.stop();
    await runner.abandon();
    await stop;
    expect(world.underWay).toEqual([]);
    expect(world.results).toEqual([]);
  });

  test('does not wait for a store that stands still, once it is abandoned', async () => {
    const runner = runnerOf('a');
    world.storeStandsStill = true;
    world.answers.set('a', success);
    await lane.give(entryOf('m1'));
    const stop = runner.stop();
    await runner.abandon();
    await stop;
    expect(lane.acked).toEqual([]);
  });

  test('of one that does nothing is done at once, also the second time', async () => {
    const runner = runnerOf('a');
    await runner.stop();
    await runner.stop();
    expect(world.clock.pending).toBe(0);
    expect(world.results).toEqual([]);
  });
});
