import { beforeEach, describe, expect, test } from 'vitest';
import type { Destination, Hold } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import { ONLY } from '../core/urls-left.ts';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, refused, retryOf, success, TestLane, TestWorld } from './test-world.ts';

let world: TestWorld;
let lane: TestLane;
beforeEach(() => {
  world = new TestWorld();
  lane = new TestLane();
});

function runnerOf(destination: Destination): Runner {
  const runner = new Runner(destination, world);
  runner.addLane(laneOf(1), lane);
  return runner;
}

const isoNow = (): string => new Date(world.clock.now()).toISOString();

const paused = (): Hold => ({ since: isoNow(), past: [] });

const resumed = ({ since }: Hold, more: Partial<Hold> = {}): Hold => {
  return { since: null, past: [{ since: since ?? '', until: isoNow() }], ...more };
};

/** One of the URLs with a hold of its own. */
function withHold(destination: Destination, url: string, hold: Hold): Destination {
  return { ...destination, webhooks: destination.webhooks.map((each) => (each.id === url ? { ...each, hold } : each)) };
}

describe('a destination that is paused', () => {
  test('sends nothing, and fails nothing by its window; what it held goes out one at a time first', async () => {
    const destination = destinationOf(['a']);
    const runner = runnerOf(destination);
    await lane.give(entryOf('tried'));
    await world.answer('a', down);
    const hold = paused();
    runner.update({ ...destination, hold });
    await lane.give(...Array.from({ length: 5 }, (_, i) => entryOf(`m${i}`)));
    world.retryQueue = [retryOf('again', { firstAt: world.clock.now() })];
    await world.pass(10 * world.policy.window);
    runner.wake();
    await world.pass(0);
    expect(world.sent).toEqual(['a tried']);
    expect(world.results).toHaveLength(1);
    runner.update({ ...destination, hold: resumed(hold) });
    await world.pass(0);
    expect(world.underWay).toEqual(['a again']);
    await world.answer('a', down);
    // Its window did not run meanwhile.
    expect(world.endsOf('again')).toMatchObject([{ state: 'retrying' }]);
  });

  test('lets what is under way end, and what waits for a URL of it is not held against it', async () => {
    const destination = destinationOf(['a', 'b']);
    const runner = new Runner(destination, world.with({ maxConcurrency: 1 }));
    runner.addLane(laneOf(1), lane);
    await lane.give(entryOf('m1'), entryOf('m2'));
    await world.answer('a', down);
    expect(world.underWay).toEqual(['b m1', 'a m2']);
    runner.update({ ...destination, hold: paused() });
    await world.answer('a', down);
    await world.answer('b', down);
    expect(world.underWay).toEqual([]);
    expect(world.endsOf('m2')).toMatchObject([
      { state: 'retrying', urlsLeft: ['b', 'a'], attempts: [{ error: 'paused' }, { status: 503 }] },
    ]);
  });

  test('fails what it has held for as long as events are kept, and says why', async () => {
    const destination = destinationOf(['a']);
    const runner = runnerOf({ ...destination, hold: paused() });
    const old = { receivedAt: world.clock.now() - world.retention + 1_000 };
    await lane.give(entryOf('old', old), entryOf('notice', { ...old, type: 'delete' }), entryOf('young'));
    expect(world.results).toEqual([]);
    await world.pass(1_000);
    expect(world.endsOf('old')).toMatchObject([{ state: 'failed', reason: 'retention_ended', attempts: [] }]);
    expect(world.endsOf('notice')).toMatchObject([{ state: 'retrying' }]);
    expect(world.endsOf('young')).toEqual([]);
    expect(runner.status.breaker).toBe('closed');
  });

  test('ends nothing for the hours that a clock jumped forward', async () => {
    const [jump, begun] = [2 * world.retention, world.clock.now()];
    Object.assign(world.clock, { skipped: (at: number) => (at <= begun ? jump : 0) });
    const destination = destinationOf(['a']);
    runnerOf({ ...destination, hold: paused() });
    await lane.give(entryOf('m1', { receivedAt: begun }));
    await world.pass(jump);
    expect(world.results).toEqual([]);
    await world.pass(world.retention);
    expect(world.endsOf('m1')).toMatchObject([{ state: 'failed', reason: 'retention_ended' }]);
  });

  test('filters what it held when that is discarded, but for delete notices and what a replay put there', async () => {
    const destination = destinationOf(['a']);
    const hold = paused();
    const runner = runnerOf({ ...destination, hold });
    const [held, notice] = [entryOf('held'), entryOf('notice', { type: 'delete' })];
    await lane.give(held, notice);
    world.retryQueue = [retryOf('tried'), retryOf('replayed', { rounds: 0, firstAt: null, isReplay: true })];
    const last = Math.max(...world.retryQueue.map(({ entry }) => entry.position));
    runner.update({ ...destination, hold: resumed(hold, { discarded: [last] }) });
    runner.wake();
    await world.pass(0);
    await lane.give(entryOf('after'));
    world.answers.set('a', success);
    while (world.underWay.length > 0) await world.answer('a', success);
    await world.pass(0);
    for (const id of ['held', 'tried'])
      expect(world.endsOf(id)).toMatchObject([{ state: 'filtered', reason: 'discarded' }]);
    for (const id of ['notice', 'replayed', 'after']) expect(world.endsOf(id)).toMatchObject([{ state: 'processed' }]);
  });

  test('that is switched off meanwhile filters', async () => {
    runnerOf(destinationOf(['a'], { hold: paused(), enabled: false }));
    await lane.give(entryOf('m1'));
    expect(world.endsOf('m1')).toMatchObject([{ state: 'filtered', reason: 'destination_disabled' }]);
  });
});

describe('a URL that is paused', () => {
  test('is left out where another takes the message, and waited for where none has', async () => {
    const destination = withHold(destinationOf(['a', 'b']), 'b', paused());
    const runner = runnerOf(destination);
    await lane.give(entryOf('taken'), entryOf('refused'));
    expect(world.underWay).toEqual(['a taken', 'a refused']);
    await world.answer('a', success);
    await world.answer('a', refused);
    expect(world.endsOf('taken')).toMatchObject([{ state: 'processed', attempts: [{ url: 'a' }] }]);
    expect(world.endsOf('refused')).toMatchObject([{ state: 'retrying', urlsLeft: ['b'] }]);
    // Due while it still stands still, it is put back.
    await world.queue(runner, retryOf('refused', { urlsLeft: ['b'] }));
    expect(world.endsOf('refused').at(-1)).toMatchObject({
      state: 'retrying',
      urlsLeft: ['b'],
      rounds: 2,
      attempts: [],
    });
    expect(world.sent).toHaveLength(2);
  });

  test('keeps nothing for longer than events are kept, but a notice', async () => {
    const destination = { ...withHold(destinationOf(['a', 'b']), 'b', paused()), success: 'all' as const };
    const runner = runnerOf(destination);
    const old = { receivedAt: world.clock.now() - world.retention };
    const left = { urlsLeft: ['b', '+'] };
    const retry = (id: string, changes: Partial<LogEntry>) => retryOf(id, { ...left, entry: entryOf(id, changes) });
    await world.queue(runner, retry('old', old), retry('notice', { ...old, type: 'delete' }), retry('young', {}));
    expect(world.endsOf('old')).toMatchObject([{ state: 'failed', reason: 'retention_ended' }]);
    expect(world.endsOf('notice')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', '+'] }]);
    expect(world.endsOf('young')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', '+'] }]);
  });

  test('keeps no old message from another URL, and ends it after that', async () => {
    const runner = runnerOf(withHold(destinationOf(['a', 'b']), 'b', paused()));
    const entry = entryOf('replayed', { receivedAt: world.clock.now() - world.retention });
    await world.queue(runner, retryOf('replayed', { entry }));
    expect(world.underWay).toEqual(['a replayed']);
    await world.answer('a', down);
    expect(world.endsOf('replayed')).toMatchObject([
      { state: 'failed', reason: 'retention_ended', dueAt: null, urlsLeft: null, attempts: [{ url: 'a' }] },
    ]);
  });

  test('is sent what waited for it when it is resumed, and what its retry queue holds is made due', async () => {
    const hastened: string[] = [];
    world = Object.assign(new TestWorld(), { hasten: async (id: string) => hastened.push(id) - 1 });
    const hold = paused();
    const destination = destinationOf(['a', 'b']);
    const runner = runnerOf(withHold(destination, 'b', hold));
    runner.update(withHold(destination, 'b', resumed(hold)));
    await world.pass(0);
    expect(hastened).toEqual(['dst_1']);
    await world.queue(runner, retryOf('waited', { urlsLeft: ['b'] }));
    expect(world.underWay).toEqual(['b waited']);
  });

  test('is not sent what it held when that is discarded, though each URL stood still', async () => {
    const hold = paused();
    const destination = destinationOf(['a']);
    const runner = runnerOf(withHold(destination, 'a', hold));
    const [held, notice] = [entryOf('held'), entryOf('notice', { type: 'delete' })];
    await lane.give(held, notice);
    world.retryQueue = [retryOf('replayed', { rounds: 0, firstAt: null, urlsLeft: ['a'], isReplay: true })];
    const last = Math.max(...world.retryQueue.map(({ entry }) => entry.position));
    runner.update(withHold(destination, 'a', resumed(hold, { discarded: [last] })));
    runner.wake();
    await world.pass(0);
    while (world.underWay.length > 0) await world.answer('a', success);
    await world.pass(0);
    expect(world.endsOf('held')).toMatchObject([{ state: 'filtered', reason: 'discarded' }]);
    for (const id of ['notice', 'replayed']) expect(world.endsOf(id)).toMatchObject([{ state: 'processed' }]);
  });

  test('lets what comes after a discard pass, though what came before waits for another one that stands still', async () => {
    const hold = paused();
    const both = withHold(withHold(destinationOf(['a', 'b']), 'a', hold), 'b', hold);
    const runner = runnerOf(both);
    const before = entryOf('before');
    await lane.give(before);
    runner.update(withHold(both, 'a', resumed(hold, { discarded: [before.position] })));
    await lane.give(entryOf('after'));
    await world.pass(0);
    expect(world.underWay).toEqual(['a after']);
    expect(world.endsOf('before')).toMatchObject([{ state: 'retrying', urlsLeft: ['b'] }]);
  });

  test('is not sent what was discarded there in the place of a URL that is gone', async () => {
    const retry = retryOf('before', { urlsLeft: ['gone'] });
    const hold = resumed(paused(), { discarded: [retry.entry.position] });
    await world.queue(runnerOf(withHold(destinationOf(['a', 'new']), 'a', hold)), retry);
    expect(world.underWay).toEqual(['new before']);
  });

  test('keeps no probe from the others, though what a discard leaves for it comes first', async () => {
    const hold = paused();
    const both = withHold(withHold(destinationOf(['a', 'b']), 'a', hold), 'b', hold);
    const runner = runnerOf(both);
    runner.told('down');
    const before = entryOf('before');
    await lane.give(before);
    runner.update(withHold(both, 'a', resumed(hold, { discarded: [before.position] })));
    await lane.give(entryOf('after'));
    expect(runner.status.breaker).toBe('open');
    await world.pass(60_000);
    expect(world.endsOf('before')).toMatchObject([{ state: 'retrying', urlsLeft: ['b'] }]);
    await world.answer('a', success, 'after');
    expect(runner.status.breaker).toBe('closed');
  });

  test.each([
    { what: 'held from the beginning', urlsLeft: ['b'], isReplay: false, state: 'filtered' },
    { what: 'put there by a deletion request', urlsLeft: null, isReplay: false, state: 'filtered' },
    { what: 'put there by a replay', urlsLeft: null, isReplay: true, state: 'processed' },
  ])('discards what it held, though it was never tried: $what', async ({ urlsLeft, isReplay, state }) => {
    const hold = paused();
    const destination = destinationOf(['b']);
    const runner = runnerOf(withHold(destination, 'b', hold));
    const waiting = retryOf('m1', { rounds: 1, firstAt: null, urlsLeft, isReplay });
    world.retryQueue = [waiting];
    world.answers.set('b', success);
    runner.update(withHold(destination, 'b', resumed(hold, { discarded: [waiting.entry.position] })));
    runner.wake();
    await world.pass(0);
    await world.pass(0);
    expect(world.endsOf('m1')).toMatchObject([{ state }]);
  });

  test.each([
    { what: 'was tried after the discard', tried: 1, state: 'processed' },
    { what: 'was tried before it, and held then', tried: -1, state: 'filtered' },
  ])('discards of a replay only what $what', async ({ tried, state }) => {
    const hold = paused();
    const now = world.clock.now();
    for (const isWhole of [true, false]) {
      const destination = destinationOf(['b']);
      const waiting = retryOf(`m${isWhole}`, { rounds: 1, firstAt: now + tried, urlsLeft: ['b'], isReplay: true });
      const runner = runnerOf(isWhole ? { ...destination, hold } : withHold(destination, 'b', hold));
      world.retryQueue = [waiting];
      world.answers.set('b', success);
      const past = resumed(hold, {
        ...{ discarded: [waiting.entry.position], discardedAt: new Date(now).toISOString() },
      });
      runner.update(isWhole ? { ...destination, hold: past } : withHold(destination, 'b', past));
      runner.wake();
      await world.pass(0);
      await world.pass(0);
      expect(world.endsOf(`m${isWhole}`)).toMatchObject([{ state }]);
    }
  });

  test('is sent at once what another URL had under way when it was resumed', async () => {
    const hold = paused();
    const both = destinationOf(['a', 'b'], { success: 'all' });
    const runner = runnerOf(withHold(both, 'b', hold));
    await lane.give(entryOf('m1'), entryOf('m2'));
    await world.answer('a', success, 'm1');
    expect(world.endsOf('m1')).toMatchObject([{ dueAt: world.clock.now() + 3_600_000, urlsLeft: ['b', '+'] }]);
    runner.update(withHold(both, 'b', resumed(hold)));
    await world.pass(1_000);
    await world.answer('a', success, 'm2');
    expect(world.endsOf('m2')).toMatchObject([{ dueAt: world.clock.now(), urlsLeft: ['b', '+'] }]);
  });

  test('does not end what asks another one to be spared', async () => {
    const hold = paused();
    const both = destinationOf(['a', 'b']);
    const runner = runnerOf(withHold(both, 'b', hold));
    await lane.give(entryOf('m1'));
    await world.answer('a', { ...down, retryAfter: 20_000 });
    runner.update(withHold(both, 'b', resumed(hold)));
    await lane.give(entryOf('m2'));
    expect(world.underWay).toEqual(['b m2']);
  });

  test('makes the destination stand still where it is the only one', async () => {
    runnerOf(withHold(destinationOf(['a']), 'a', paused()));
    await lane.give(entryOf('m1'));
    await world.pass(10 * world.policy.window);
    expect([world.sent, world.results]).toEqual([[], []]);
  });

  test('does not stand for the others: one that is stalled gets its attempts', async () => {
    const runner = runnerOf(withHold(destinationOf(['a', 'b']), 'b', paused()));
    world.answers.set('a', down);
    for (let i = 0; i < 10; i++) await lane.give(entryOf(`m${i}`));
    expect(runner.status.urls).toMatchObject([{ stalled: true }, { stalled: false }]);
    expect(world.sent).toHaveLength(10);
  });
});

describe('a destination that asks for all URLs', () => {
  const all = (urls: readonly string[]): Destination => destinationOf(urls, { success: 'all' });

  test('has processed a message when each has taken it; one that missed it is tried again alone', async () => {
    const runner = runnerOf(all(['a', 'b', 'c']));
    await lane.give(entryOf('m1'), entryOf('m2'));
    for (const url of ['a', 'b', 'c']) await world.answer(url, success, 'm1');
    expect(world.endsOf('m1')).toMatchObject([{ state: 'processed' }]);
    await world.answer('a', success, 'm2');
    await world.answer('b', down, 'm2');
    await world.answer('c', success, 'm2');
    expect(world.endsOf('m2')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', '+'] }]);
    await world.queue(runner, retryOf('m2', { urlsLeft: ['b', '+'] }));
    expect(world.underWay).toEqual(['b m2']);
    await world.answer('b', success);
    expect(world.endsOf('m2').at(-1)).toMatchObject({ state: 'processed' });
  });

  test.each([
    { what: 'those that are left', urlsLeft: ['b', '+'], isSent: true },
    { what: 'one that has refused it', urlsLeft: ['gone', '!b', '+'], isSent: false },
  ])(
    'and then for one only: what a URL has taken is not sent to $what, and does not fail',
    async ({ urlsLeft, isSent }) => {
      const runner = runnerOf(all(['a', 'b']));
      world.retryQueue = isSent ? [retryOf('under way', { urlsLeft })] : [];
      runner.wake();
      await world.pass(0);
      runner.update(destinationOf(['a', 'b']));
      await world.queue(runner, retryOf('m1', { urlsLeft }));
      expect(world.endsOf('m1')).toMatchObject([{ state: 'processed', reason: null }]);
      if (!isSent) return;
      await world.answer('b', refused, 'under way');
      expect(world.endsOf('under way')).toMatchObject([{ state: 'processed', reason: null }]);
    },
  );

  test('has failed it where one refuses it for good, once the others have ended', async () => {
    const runner = runnerOf(all(['a', 'b', 'c']));
    const urlsLeft = await world.firstRound(lane, { a: success, b: refused, c: down });
    await world.queue(runner, retryOf('m1', { urlsLeft }));
    expect(world.underWay).toEqual(['c m1']);
    await world.answer('c', success);
    expect(world.endsOf('m1').at(-1)).toMatchObject({ state: 'failed', reason: 'rejected_by_one' });
  });

  test('need not have it taken by a URL that it no longer has', async () => {
    const runner = runnerOf(all(['a']));
    await world.queue(
      runner,
      retryOf('done', { urlsLeft: ['gone', '+'] }),
      retryOf('refused', { urlsLeft: ['gone', '!a'] }),
    );
    expect(world.sent).toEqual([]);
    expect(world.endsOf('done')).toMatchObject([{ state: 'processed' }]);
    expect(world.endsOf('refused')).toMatchObject([{ state: 'failed', reason: 'rejected_by_one' }]);
  });

  test('sends what no URL took to those that have replaced the ones that it waited for', async () => {
    const runner = runnerOf(all(['new']));
    await world.queue(runner, retryOf('m1', { urlsLeft: ['gone'] }));
    expect([world.underWay, world.results]).toEqual([['new m1'], []]);
    await world.answer('new', success);
    expect(world.endsOf('m1')).toMatchObject([{ state: 'processed' }]);
  });

  test.each(['any', 'all'] as const)('by “%s” sends what a replay is for one URL to no other', async (success) => {
    const runner = runnerOf({ ...all(['a', 'b']), success });
    const untried = { rounds: 0, firstAt: null, isReplay: true };
    const tried = { rounds: 1, isReplay: true };
    await world.queue(
      runner,
      retryOf('gone', { ...untried, urlsLeft: ['gone', ONLY] }),
      retryOf('gone after a try', { ...tried, urlsLeft: ['gone', ONLY] }),
      retryOf('b', { ...untried, urlsLeft: ['b', ONLY] }),
      // One for all URLs, which were replaced while it waited for them.
      retryOf('for all', { ...untried, urlsLeft: ['old'] }),
    );
    expect(world.underWay.toSorted()).toEqual(['a for all', 'b b', 'b for all']);
    for (const id of ['gone', 'gone after a try']) {
      expect(world.endsOf(id)).toMatchObject([{ state: 'filtered', reason: 'url_removed', attempts: [] }]);
    }
    await world.answer('b', down, 'b');
    expect(world.endsOf('b')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', ONLY] }]);
  });

  test('fails nothing that waits for a paused URL, in an outage of another one', async () => {
    const runner = runnerOf(withHold(all(['a', 'b']), 'b', paused()));
    world.answers.set('a', down);
    const firstAt = world.clock.now() - 2 * world.policy.window;
    for (let i = 0; i < 60; i++) {
      await lane.give(entryOf(`m${i}`));
      await world.pass(1_000);
    }
    expect(runner.status.breaker).not.toBe('closed');
    world.retryQueue = [retryOf('held', { urlsLeft: ['b', '+'], firstAt })];
    runner.wake();
    await world.pass(100);
    expect(world.endsOf('held').filter(({ state }) => state === 'failed')).toEqual([]);
  });

  test('waits for a URL that is paused, beyond its window', async () => {
    const destination = withHold(all(['a', 'b']), 'b', paused());
    runnerOf(destination);
    await lane.give(entryOf('m1', { receivedAt: world.clock.now() - 2 * world.policy.window }));
    await world.answer('a', success);
    expect(world.endsOf('m1')).toMatchObject([{ state: 'retrying', urlsLeft: ['b', '+'], attempts: [{ url: 'a' }] }]);
  });
});

describe('a policy of its own', () => {
  test('says which statuses end a message, and which are tried again; 5xx always is', async () => {
    runnerOf(destinationOf(['a'], { policy: { permanentStatuses: [429], temporaryStatuses: [409] } }));
    await lane.give(...['conflict', 'busy', 'down'].map((id) => entryOf(id)));
    await world.answer('a', { ...refused, status: 409 });
    await world.answer('a', { ...down, status: 429, retryAfter: 60_000 });
    await world.answer('a', down);
    expect(world.endsOf('conflict')).toMatchObject([{ state: 'retrying' }]);
    expect(world.endsOf('busy')).toMatchObject([{ state: 'failed', reason: 'rejected' }]);
    expect(world.endsOf('down')).toMatchObject([{ state: 'retrying' }]);
  });

  test('says that a status is tried again, and then the answer says when', async () => {
    runnerOf(destinationOf(['a'], { policy: { temporaryStatuses: [409], retryWindow: '1m' } }));
    await lane.give(entryOf('m1'));
    await world.answer('a', { ...refused, status: 409, headers: { 'retry-after': '30' } });
    expect(world.endsOf('m1')).toMatchObject([{ state: 'retrying', dueAt: world.clock.now() + 30_000 }]);
  });

  test('has a retry window', async () => {
    const runner = runnerOf(destinationOf(['a'], { policy: { retryWindow: '1m' } }));
    await world.queue(
      runner,
      retryOf('late', { firstAt: world.clock.now() - 60_000 }),
      retryOf('young', { firstAt: world.clock.now() - 59_000 }),
    );
    while (world.underWay.length > 0) await world.answer('a', down);
    expect(world.endsOf('late')).toMatchObject([{ state: 'failed', reason: 'window_ended' }]);
    expect(world.endsOf('young')).toMatchObject([{ state: 'retrying', dueAt: world.clock.now() + 1_000 }]);
  });

  test('has a rate and a limit of requests at once, of which each node takes its part', async () => {
    world.nodes = 2;
    const runner = runnerOf(destinationOf(['a'], { policy: { ratePerSecond: 20, maxConcurrency: 64 } }));
    world.answers.set('a', success);
    await lane.give(...Array.from({ length: 100 }, (_, i) => entryOf(`m${i}`)));
    const before = world.sent.length;
    for (let ms = 0; ms < 5_000; ms += 10) await world.pass(10);
    expect(Math.abs(world.sent.length - before - 50)).toBeLessThanOrEqual(2);
    runner.update(destinationOf(['a'], { policy: { maxConcurrency: 5 } }));
    world.answers.delete('a');
    await world.pass(0);
    expect(world.underWay).toHaveLength(2);
  });
});
