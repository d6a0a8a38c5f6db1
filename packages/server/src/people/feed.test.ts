import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Bell } from '../core/bell.ts';
import type { LogEntry, Position } from '../core/event.ts';
import { shardBounds } from '../core/position.ts';
import { sampleEvent } from '../log/conformance.ts';
import { pageOf } from '../log/entry-page.ts';
import { Feed } from './feed.ts';

const REST = 60_000;

/** A log of some shards in memory, a clock that a test moves, and a reader that takes in what the feed hands out. */
function world(shards = 1) {
  const entries: LogEntry[] = [];
  const appended = new Bell();
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  let now = 1_000_000;
  let arrivals = 0;
  const removed = new Set<Position>();
  let failing: Position | null = null;
  const log = {
    async scan(after: Position, limit: number, through = Number.MAX_SAFE_INTEGER) {
      if (after === failing) {
        failing = null;
        throw new Error('timeout');
      }
      const found = entries.filter(({ position }) => position > after && position <= through && !removed.has(position));
      return pageOf(found.slice(0, Math.min(limit, 3)));
    },
    nextAppend: () => appended.next,
    countAfter: async (after: Position, through: Position) =>
      entries.filter(({ position }) => position > after && position <= through).length,
  };
  const clock = {
    now: () => now,
    after(ms: number, run: () => void) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  let isSilent = false;
  const end = async () => {
    if (isSilent) throw new Error('The disk is full.');
    return Array.from({ length: shards }, (_, shard) => last(shard)?.position ?? 0);
  };
  const last = (shard: number) => entries.findLast(({ position }) => Math.floor(position / 2 ** 49) === shard);
  const feed = new Feed({ log, end, shards, clock, rest: REST }, () => arrivals++);
  const reached: Position[] = [];
  const taken: Position[] = [];
  return {
    feed,
    reached,
    taken,
    get arrivals() {
      return arrivals;
    },
    /** The events are removed: they are counted, and no longer handed out. */
    remove() {
      for (const entry of entries) removed.add(entry.position);
    },
    /** The next read after this position fails. */
    failOnce(after: Position) {
      failing = after;
    },
    /** The log does not say where it ends. */
    silence() {
      isSilent = true;
    },
    append(count: number, shard = 0) {
      const [first] = shardBounds(shard);
      for (let i = 0; i < count; i++) {
        const last = entries.findLast(({ position }) => position > first && position <= shardBounds(shard)[1]);
        entries.push({ ...sampleEvent('s', 'm'), position: (last?.position ?? first) + 1 });
      }
      entries.sort((a, b) => a.position - b.position);
      appended.ring();
    },
    /** Takes in what there is until a page is empty. */
    async takeAll(through: readonly Position[] | null = null) {
      for (;;) {
        const page = await feed.page(reached, through);
        const last = page?.positions.at(-1);
        if (!page || last === undefined) return;
        taken.push(...page.positions);
        reached[Math.floor(last / 2 ** 49)] = last;
      }
    },
    async pass(ms: number) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
      await setImmediate();
    },
  };
}

const numbers = (from: number, count: number): number[] => Array.from({ length: count }, (_, i) => from + i);

test('rests at the end of the log, and reads again when the rest is over', async () => {
  const of = world();
  of.append(7);
  await of.takeAll();
  expect(of.taken).toEqual(numbers(1, 7));
  of.append(2);
  await of.pass(REST - 1);
  expect([await of.feed.page(of.reached), of.arrivals]).toEqual([null, 0]);
  await of.pass(1);
  expect(of.arrivals).toBe(1);
  await of.takeAll();
  expect(of.taken).toEqual(numbers(1, 9));
});

test('what could not be read ahead is read again', async () => {
  const of = world();
  of.append(7);
  of.failOnce(3);
  await expect(of.takeAll()).rejects.toThrow('timeout');
  await of.takeAll();
  expect(of.taken).toEqual(numbers(1, 7));
});

test('a question waits until everything is handed out that the log held when it was asked', async () => {
  const of = world();
  await of.takeAll();
  of.append(5);
  const before = of.arrivals;
  const asked = of.feed.caughtUp();
  await setImmediate();
  expect(of.arrivals).toBe(before + 1);
  await of.takeAll();
  await asked;
  expect(of.taken).toEqual(numbers(1, 5));
});

test('where something waits for each call, the first is handed out at once, and those that follow it together', async () => {
  const of = world();
  await of.takeAll();
  of.feed.isLive = true;
  await of.takeAll();
  await of.pass(100);
  const before = of.arrivals;
  of.append(1);
  await setImmediate();
  expect(of.arrivals).toBe(before + 1);
  await of.takeAll();
  of.append(1);
  of.append(1);
  await setImmediate();
  expect(of.arrivals).toBe(before + 1);
  await of.pass(50);
  expect(of.arrivals).toBe(before + 2);
  await of.takeAll();
  expect(of.taken).toEqual([1, 2, 3]);
});

test('a question does not wait until calls that follow others are read together', async () => {
  const of = world();
  of.feed.isLive = true;
  of.append(1);
  await of.takeAll();
  of.append(1);
  const asked = of.feed.caughtUp();
  await setImmediate();
  await of.takeAll();
  await asked;
  expect(of.taken).toEqual([1, 2]);
});

test('what is appended while a page is read ahead is not passed over', async () => {
  const of = world();
  of.feed.isLive = true;
  of.append(2);
  const page = await of.feed.page([]);
  expect(page?.positions).toHaveLength(2);
  // The next page was asked for, and is empty by now.
  of.append(1);
  await of.pass(50);
  expect([...((await of.feed.page([2]))?.positions ?? [])]).toEqual([3]);
});

test('rests at the end that the log had when it began, however steadily calls flow', async () => {
  const of = world(2);
  const [second] = shardBounds(1);
  of.append(4);
  of.append(1, 1);
  for (let page = await of.feed.page([]); page; page = await of.feed.page(of.reached)) {
    for (const position of page.positions) of.reached[position > second ? 1 : 0] = position;
    of.append(1);
    of.append(1, 1);
  }
  expect(of.reached).toEqual([4, second + 1]);
  expect(await of.feed.waiting(of.reached)).toBe(6);
});

test('a question ends the rest that is near, and waits for what the log held by then', async () => {
  const of = world();
  of.append(1);
  expect((await of.feed.page([]))?.positions).toHaveLength(1);
  of.append(1);
  const asked = of.feed.caughtUp();
  await setImmediate();
  of.reached[0] = 1;
  await of.takeAll();
  await asked;
  expect(of.taken).toEqual([2]);
});

test('what is asked while it looks is answered by another look', async () => {
  const of = world();
  await of.takeAll();
  of.feed.hurry();
  const looking = of.takeAll();
  of.append(1);
  const asked = of.feed.caughtUp();
  await looking;
  await of.takeAll();
  await asked;
  expect(of.taken).toEqual([1]);
});

test('in a steady flow of live calls, those of one moment go together', async () => {
  const of = world();
  of.feed.isLive = true;
  of.append(1);
  await of.takeAll();
  of.append(1);
  await of.takeAll();
  expect(of.taken).toEqual([1]);
  await of.pass(50);
  await of.takeAll();
  expect(of.taken).toEqual([1, 2]);
});

test('each shard has its turn, and each is read in order to its own end', async () => {
  const of = world(2);
  const [second] = shardBounds(1);
  of.append(7);
  of.append(4, 1);
  expect(await of.feed.waiting(of.reached)).toBe(11);
  await of.takeAll();
  expect(of.taken).toEqual([...[1, 2, 3, second + 1, second + 2, second + 3], ...[4, 5, 6, second + 4, 7]]);
  expect(await of.feed.waiting(of.reached)).toBe(0);
});

test('reads up to given offsets and no further, also while it rests', async () => {
  const of = world(2);
  const [second] = shardBounds(1);
  of.append(2);
  await of.takeAll();
  of.append(6);
  of.append(2, 1);
  const through = [5, second + 1];
  expect(await of.feed.isBehind(of.reached, through)).toBe(true);
  await of.takeAll(through);
  expect(of.taken.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, second + 1]);
  expect(await of.feed.isBehind(of.reached, through)).toBe(false);
  expect(await of.feed.isBehind(of.reached, [5])).toBe(false);
});

test('what was removed before it was taken in does not wait', async () => {
  const of = world(2);
  of.append(3);
  of.append(2, 1);
  expect(await of.feed.waiting(of.reached)).toBe(5);
  of.remove();
  expect(await of.feed.waiting(of.reached)).toBe(0);
  of.append(1, 1);
  expect(await of.feed.waiting(of.reached)).toBe(3);
});

test('what is left to hand out bounds what counts as taken in; an end of removed entries does not, and a log that does not answer adds nothing', async () => {
  const of = world(2);
  const [second] = shardBounds(1);
  of.append(3);
  of.append(2, 1);
  expect(await of.feed.takenIn(of.reached)).toEqual([0, second]);
  await of.takeAll([2, 0]);
  expect(await of.feed.takenIn(of.reached)).toEqual([2, second]);
  of.remove();
  expect(await of.feed.takenIn(of.reached)).toEqual([3, second + 2]);
  of.silence();
  expect(await of.feed.takenIn(of.reached)).toEqual([2, second]);
});
