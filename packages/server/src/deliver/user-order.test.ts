import { beforeEach, describe, expect, test } from 'vitest';
import type { Destination, Webhook } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import { Runner } from './runner.ts';
import { destinationOf, down, entryOf, laneOf, refused, retryOf, success, TestLane, TestWorld } from './test-world.ts';

const HOLD = 600_000;

let world: TestWorld;
let lane: TestLane;
/** Messages of the retry queue that were made due. */
let hastened: (number | readonly number[])[];
beforeEach(() => {
  hastened = [];
  const hasten = async (_: string, __: number, of: number | readonly number[]): Promise<number> => {
    hastened.push(of);
    return typeof of === 'number' ? 0 : 1;
  };
  world = Object.assign(new TestWorld(), { hasten });
  lane = new TestLane();
});

const ordered = (urls: readonly string[] = ['a'], changes: Partial<Destination> = {}): Destination =>
  destinationOf(urls, { order: 'user', ...changes });

async function runnerOf(destination: Destination): Promise<Runner> {
  const runner = new Runner(destination, world);
  runner.addLane(laneOf(1), lane);
  await world.pass(0);
  return runner;
}

const of = (userId: string, ...ids: string[]): LogEntry[] => ids.map((id) => entryOf(id, { userId }));

/** What was parked comes back from the retry queue. */
async function due(runner: Runner, ...entries: LogEntry[]): Promise<void> {
  world.retryQueue = entries.map((entry) => {
    const [last] = world.endsOf(entry.messageId).slice(-1);
    const { rounds = 0, firstAt = null, urlsLeft = null } = last ?? {};
    return { laneId: 1, destinationId: 'dst_1', entry, rounds, firstAt, urlsLeft, isReplay: false };
  });
  runner.wake();
  await world.pass(0);
}

describe('calls of one user', () => {
  test('go out one after the other, each when the one before is recorded; those of others beside them', async () => {
    await runnerOf(ordered());
    await lane.give(...of('ada', 'a1', 'a2', 'a3'), ...of('bob', 'b1'));
    expect(world.underWay).toEqual(['a a1', 'a b1']);
    world.storeStandsStill = true;
    await world.answer('a', success, 'a1');
    expect(world.underWay).toEqual(['a b1']);
    world.storeStandsStill = false;
    await world.answer('a', success, 'b1');
    expect(world.results.map(({ entry }) => entry.messageId)).toEqual(['a1', 'b1']);
  });

  test.each([
    { what: 'has ended', answer: success },
    { what: 'is tried again', answer: down },
  ])('of an earlier lane that come later have their turn when the one under way $what', async ({ answer }) => {
    const runner = await runnerOf(ordered());
    const [early, late] = of('ada', 'early', 'late');
    const before = new TestLane();
    runner.addLane({ ...laneOf(2), until: early?.position ?? 0 }, before);
    await lane.give(...(late ? [late] : []));
    await before.give(...(early ? [early] : []));
    expect(world.underWay).toEqual(['a late']);
    await world.answer('a', answer, 'late');
    expect(world.underWay).toEqual(['a early']);
  });

  test('end in any way, and the next has its turn', async () => {
    await runnerOf(ordered());
    const filtered = entryOf('a2', { userId: 'ada', integrations: '{"All":false}' });
    await lane.give(...of('ada', 'a1'), filtered, ...of('ada', 'a3', 'a4'));
    expect(world.underWay).toEqual(['a a1']);
    await world.answer('a', refused);
    expect(world.underWay).toEqual(['a a3']);
    await world.answer('a', success);
    expect(world.underWay).toEqual(['a a4']);
  });

  test('wait in the retry queue for one that is tried again, and others flow', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2, a3] = of('ada', 'a1', 'a2', 'a3') as [LogEntry, LogEntry, LogEntry];
    await lane.give(a1, a2);
    await world.answer('a', down);
    const until = world.clock.now() + HOLD;
    await lane.give(a3, ...of('bob', 'b1'));
    expect(world.underWay).toEqual(['a b1']);
    expect(world.endsOf('a1')).toMatchObject([{ state: 'retrying', rounds: 1 }]);
    for (const [id, dueAt] of [
      ['a2', until],
      ['a3', until + HOLD],
    ] as const) {
      expect(world.endsOf(id)).toMatchObject([{ state: 'retrying', rounds: 0, attempts: [], dueAt }]);
    }
    expect(lane.acked).toContain(a2.position);
    await due(runner, a1);
    await world.answer('a', success, 'a1');
    expect(hastened).toEqual([[a2.position]]);
    await due(runner, a2);
    expect(world.underWay).toEqual(['a b1', 'a a2']);
    await world.answer('a', success, 'a2');
    expect(hastened.at(-1)).toEqual([a3.position]);
  });

  test('go out at once when it is asked for no longer: those that wait for another, and not those that are retried', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2, a3] = of('ada', 'a1', 'a2', 'a3') as [LogEntry, LogEntry, LogEntry];
    await lane.give(a1, a2, a3);
    await world.answer('a', down);
    expect(world.endsOf('a3')).toMatchObject([{ state: 'retrying', rounds: 0 }]);
    runner.update({ ...ordered(), order: 'none' });
    await world.pass(0);
    expect(hastened).toEqual([[a2.position, a3.position]]);
  });

  test('are put back where they are due before their turn', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2] = of('ada', 'a1', 'a2') as [LogEntry, LogEntry];
    await lane.give(a1, a2);
    await world.answer('a', down);
    await due(runner, a2);
    expect(world.underWay).toEqual([]);
    expect(world.endsOf('a2').at(-1)).toMatchObject({ state: 'retrying', rounds: 1, urlsLeft: ['~'] });
  });

  test('go on without one that holds them up for too long, which is recorded', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2, a3] = of('ada', 'a1', 'a2', 'a3') as [LogEntry, LogEntry, LogEntry];
    await lane.give(a1, a2, a3);
    await world.answer('a', down);
    for (let tries = 0; tries < 3; tries++) {
      await world.pass(HOLD / 3 - 1_000);
      await due(runner, a1);
      await world.answer('a', down);
    }
    await world.pass(3_000);
    await due(runner, a2, a3);
    expect(world.underWay).toEqual(['a a2']);
    await world.answer('a', success);
    expect(world.endsOf('a2').at(-1)).toMatchObject({
      state: 'processed',
      attempts: [{ error: 'order_given_up', status: null }, { status: 200 }],
    });
    // The one that was given up is free of its place.
    await due(runner, a1);
    expect(world.underWay).toContain('a a1');
  });

  test('are told apart by anonymous id, and by source', async () => {
    await runnerOf(ordered());
    const anonymous = (id: string, anonymousId: string): LogEntry =>
      entryOf(id, { userId: null, body: Buffer.from(JSON.stringify({ anonymousId })) });
    await lane.give(anonymous('x1', 'x'), anonymous('x2', 'x'), anonymous('y1', 'y'));
    await lane.give(...of('ada', 'a1'), entryOf('a2', { userId: 'ada', sourceId: 'src_2' }));
    expect(world.sent).toHaveLength(4);
  });

  test('that a process before this one has put into the retry queue come before new ones', async () => {
    const first = retryOf('a1', { firstAt: world.clock.now() });
    const replayed = { isReplay: true, entry: entryOf('replayed', { userId: 'bob' }) };
    world.retryQueue = [first, retryOf('replayed', { firstAt: world.clock.now(), ...replayed })];
    const runner = await runnerOf(ordered());
    expect(world.released.map(({ entry }) => entry.messageId)).toEqual(['a1', 'replayed']);
    const next = entryOf('a2');
    await lane.give(next, ...of('bob', 'b1'));
    // What a replay has put there holds up no one, tried or not.
    expect(world.underWay).toEqual(['a b1']);
    await world.answer('a', success);
    await world.queue(runner, first);
    await world.answer('a', success);
    expect(hastened).toEqual([[next.position]]);
  });

  test('are held up by no one that had its end before a crash, and that its lane gives again', async () => {
    const runner = await runnerOf(ordered());
    const [a1, ended, a3] = of('ada', 'a1', 'ended', 'a3') as [LogEntry, LogEntry, LogEntry];
    await lane.give(a1, ended, a3);
    await world.answer('a', down);
    await due(runner, a1);
    await world.answer('a', success);
    expect(hastened).toEqual([[ended.position]]);
    // The retry queue has none with an end: it never comes.
    await due(runner, a3);
    expect(world.underWay).toEqual([]);
    await world.pass(HOLD);
    await due(runner, a3);
    expect(world.underWay).toEqual(['a a3']);
    await world.answer('a', success);
    expect(world.endsOf('a3').at(-1)).toMatchObject({ state: 'processed', attempts: [{ status: 200 }] });
  });

  test('that were removed are waited for no longer, and a stop leaves what waits in its lane', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2, a3] = of('ada', 'a1', 'a2', 'a3') as [LogEntry, LogEntry, LogEntry];
    await lane.give(a1, a2, a3);
    runner.withdraw(new Set([a2.position]));
    expect(lane.acked).toEqual([a2.position]);
    await world.answer('a', success);
    expect(world.underWay).toEqual(['a a3']);
    await lane.give(...of('ada', 'a4'));
    const stopped = runner.stop();
    await world.answer('a', success);
    await stopped;
    expect(world.results.map(({ entry }) => entry.messageId)).toEqual(['a1', 'a3']);
  });

  test('go on behind one that is tried again after a pause that was longer than it may hold them up', async () => {
    const runner = await runnerOf(ordered());
    const [a1, a2] = of('ada', 'a1', 'a2') as [LogEntry, LogEntry];
    await lane.give(a1, a2);
    await world.answer('a', down);
    const since = new Date(world.clock.now()).toISOString();
    runner.update(ordered(['a'], { hold: { since, past: [] } }));
    await world.pass(2 * HOLD);
    const until = new Date(world.clock.now()).toISOString();
    runner.update(ordered(['a'], { hold: { since: null, past: [{ since, until }] } }));
    await due(runner, a2);
    expect(world.underWay).toEqual([]);
    await due(runner, a1);
    expect(world.underWay).toEqual(['a a1']);
  });

  test('wait for one that waits for a URL that stands still, as for one that is tried again', async () => {
    const since = new Date(world.clock.now()).toISOString();
    const hold = { since, past: [] };
    const [a1, a2, a3] = of('ada', 'a1', 'a2', 'a3') as [LogEntry, LogEntry, LogEntry];
    const { webhooks, ...rest } = ordered(['a', 'b']);
    const [a, b] = webhooks.map((each): Webhook => ({ ...each, hold })) as [Webhook, Webhook];
    const runner = await runnerOf({ ...rest, webhooks: [a, b] });
    await lane.give(a1);
    const discards = { ...hold, since: null, discarded: [a2.position] };
    runner.update({ ...rest, webhooks: [{ ...a, hold: discards }, b] });
    await world.pass(0);
    expect(world.endsOf('a1')).toMatchObject([{ state: 'retrying', urlsLeft: ['b'] }]);
    await lane.give(a2, a3);
    expect(world.sent).toEqual([]);
    expect(['a2', 'a3'].map((id) => world.endsOf(id)[0]?.urlsLeft)).toEqual([['~'], ['~']]);
    await world.pass(HOLD);
    // Its turn has come, and what it waits for has not: it is looked at once.
    hastened.length = 0;
    await due(runner, a2);
    expect(world.endsOf('a2').at(-1)).toMatchObject({ state: 'retrying', urlsLeft: ['b'] });
    await world.pass(0);
    expect(hastened.flat()).not.toContain(a2.position);
    await world.pass(HOLD);
    await due(runner, a3);
    expect(world.underWay).toEqual(['a a3']);
  });

  test('are no longer ordered when that is changed', async () => {
    const runner = await runnerOf(ordered());
    await lane.give(...of('ada', 'a1', 'a2', 'a3'));
    expect(world.underWay).toEqual(['a a1']);
    runner.update(destinationOf(['a']));
    await world.pass(0);
    expect(world.underWay.sort()).toEqual(['a a1', 'a a2', 'a a3']);
  });
});

test('more than wait in memory for a call under way stay in their lane, none in the retry queue before it', async () => {
  const runner = await runnerOf(ordered());
  const ids = Array.from({ length: 1_200 }, (_, i) => `a${i}`);
  await lane.give(...of('ada', ...ids));
  await world.pass(0);
  expect([world.sent, world.results]).toEqual([['a a0'], []]);
  // Another source does not wait for them.
  const other = new TestLane();
  runner.addLane(laneOf(2, 'src_2'), other);
  await other.give(entryOf('b1', { sourceId: 'src_2' }));
  await world.answer('a', success, 'b1');
  expect(world.results.splice(0).map(({ entry }) => entry.messageId)).toEqual(['b1']);
  world.answers.set('a', success);
  await world.answer('a', success);
  await world.pass(0);
  while (world.results.length < ids.length) await world.pass(1);
  expect(world.results.map(({ entry }) => entry.messageId)).toEqual(ids);
});
