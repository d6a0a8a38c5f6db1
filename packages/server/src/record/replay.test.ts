import { afterEach, expect, test } from 'vitest';
import type { Clock } from '../core/clock.ts';
import type { Replay, ReplayCandidate, ReplayResult, RequeueItem } from './contract.ts';
import { type ReplayOptions, Replays } from './replay.ts';
import { batchSize } from './replay-pace.ts';

const START = 1_000_000;
/** The position of a delete notice. */
const NOTICE = 80;
const request = {
  destinationId: 'dst_1',
  state: 'failed',
  filter: { event: null, userId: null, error: null },
  from: null,
  to: null,
} as const;

let open: Replays[] = [];
afterEach(async () => {
  await Promise.all(open.map((replays) => replays.stop()));
  open = [];
});

test('a replay puts everything into the retry queue at its rate, and is done', async () => {
  const world = new World(95);
  const replay = await (await world.replays()).create({ ...request, perSecond: 10 });
  expect(replay).toMatchObject({ total: 95, done: 0, status: 'running', to: START + 1 });
  await world.until(() => world.saved(replay.id)?.status === 'done');
  expect(world.saved(replay.id)).toMatchObject({ done: 95, after: 95 });
  expect(world.retryQueue.map(({ position }) => position)).toEqual(Array.from({ length: 95 }, (_, i) => i + 1));
  expect(world.busiestSecond()).toBe(10);
  expect(world.clock.now() - START).toBeGreaterThan(8000);
  expect(world.farthestAhead).toBeLessThanOrEqual(1000);
  expect(new Set(world.woken)).toEqual(new Set(['dst_1']));
});

test.each([0.5, 1, 3, 7, 999, 10_000])('at %d a second no second has more than that', async (perSecond) => {
  const world = new World(Math.min(3000, Math.ceil(perSecond * 4)));
  const replay = await (await world.replays()).create({ ...request, perSecond });
  await world.until(() => world.saved(replay.id)?.status === 'done');
  expect(world.retryQueue).toHaveLength(world.size);
  expect(world.busiestSecond()).toBeLessThanOrEqual(Math.max(1, perSecond));
  expect(world.largestPage).toBeLessThanOrEqual(1000);
});

test('a replay that leaves out what has failed neither counts nor sends it', async () => {
  const world = new World(95);
  world.leavesFailed = true;
  const replay = await (await world.replays()).create({ ...request, state: 'all', perSecond: 100 });
  expect(replay.total).toBe(64);
  await world.until(() => world.saved(replay.id)?.status === 'done');
  expect(world.retryQueue.map(({ position }) => position).filter((position) => position % 3 === 0)).toEqual([]);
  expect(world.saved(replay.id)).toMatchObject({ done: 64, after: 95 });
});

test('a stopped replay lets go, and says how far it came', async () => {
  const world = new World(1000);
  const replays = await world.replays();
  const { id } = await replays.create({ ...request, perSecond: 10 });
  await world.until(() => world.retryQueue.length >= 20);
  const stopped = await replays.halt(id);
  expect(stopped).toMatchObject({ status: 'stopped', done: world.retryQueue.length });
  expect({ ...world.saved(id), result: null }).toEqual(stopped);
  await world.clock.advance(60_000);
  expect(world.retryQueue).toHaveLength(stopped?.done ?? 0);
  expect(await replays.halt(id)).toEqual(stopped);
  expect(await replays.halt('rpl_none')).toBeUndefined();
});

test('a replay goes on after a restart, where it was', async () => {
  const world = new World(60);
  const before = await world.replays();
  const { id } = await before.create({ ...request, perSecond: 10 });
  await world.until(() => world.retryQueue.length >= 20);
  await before.stop();
  expect(world.saved(id)?.status).toBe('running');
  const after = await world.replays();
  await world.until(() => world.saved(id)?.status === 'done');
  expect(world.retryQueue.map(({ position }) => position)).toEqual(Array.from({ length: 60 }, (_, i) => i + 1));
  expect(await after.get(id)).toMatchObject({ done: 60, total: 60 });
  expect(await after.list()).toHaveLength(1);
});

test('a store that fails for a while only delays it', async () => {
  const world = new World(20);
  const replays = await world.replays();
  const { id } = await replays.create({ ...request, perSecond: 10 });
  world.broken = 3;
  await world.until(() => world.saved(id)?.status === 'done');
  expect(world.retryQueue).toHaveLength(20);
  expect(world.errors).toBe(3);
});

test('what was put into the retry queue is sent, though the replay could not be saved', async () => {
  const world = new World(1);
  const replays = await world.replays();
  world.unsaved = 1;
  const again = replays.sendAgain({ destinationId: 'dst_1', state: 'all', perSecond: 1 }, [candidate(1)], 1);
  await expect(again).rejects.toThrow('the disk is full');
  expect(world.retryQueue).toHaveLength(1);
  expect(world.woken).toEqual(['dst_1']);
});

test('what waits already is left alone and not counted as done', async () => {
  const world = new World(10);
  world.waitingAnyway.add(3).add(4);
  const { id } = await (await world.replays()).create({ ...request, perSecond: 100 });
  await world.until(() => world.saved(id)?.status === 'done');
  expect(world.saved(id)).toMatchObject({ total: 10, done: 8 });
});

test('what fails after it was counted is taken too, and then counted', async () => {
  const world = new World(10);
  const replays = await world.replays();
  const { id } = await replays.create({ ...request, perSecond: 2 });
  world.size = 12;
  await world.until(() => world.saved(id)?.status === 'done');
  expect(await replays.get(id)).toMatchObject({ total: 12, done: 12 });
});

test('a replay of a destination that is gone stops', async () => {
  const world = new World(100);
  const { id } = await (await world.replays()).create({ ...request, perSecond: 10 });
  await world.until(() => world.retryQueue.length >= 10);
  world.destinationGone = true;
  await world.until(() => world.saved(id)?.status !== 'running');
  expect(world.saved(id)?.status).toBe('stopped');
  expect(world.retryQueue.length).toBeLessThan(100);
});

test('what a replay put into the retry queue of a destination that is gone is filtered', async () => {
  const world = new World(100);
  const replays = await world.replays();
  const { id } = await replays.create({ ...request, perSecond: 10 });
  await world.until(() => world.retryQueue.length >= 10);
  const put = world.retryQueue.length;
  world.results.set(id, { processed: 3, failed: 1, filtered: 2, retrying: put - 6 });
  expect((await replays.get(id))?.result).toEqual({ processed: 3, failed: 1, filtered: 2, retrying: put - 6 });
  world.destinationGone = true;
  expect((await replays.get(id))?.result).toEqual({ processed: 3, failed: 1, filtered: put - 4, retrying: 0 });
});

test('of a source that is no longer connected only delete notices are taken', async () => {
  const world = new World(95);
  world.connected = false;
  const replays = await world.replays();
  const { id, total } = await replays.create({ ...request, perSecond: 100 });
  expect(total).toBe(1);
  await world.until(() => world.saved(id)?.status === 'done');
  expect(world.retryQueue.map(({ position }) => position)).toEqual([NOTICE]);
  const chosen = { destinationId: 'dst_1', state: 'all', perSecond: 1 } as const;
  expect(await replays.sendAgain(chosen, [candidate(7)], 1)).toBeNull();
});

test('a preview counts page by page and changes nothing', async () => {
  const world = new World(2500);
  const replays = await world.replays();
  const left = new AbortController();
  const { count, sample } = await replays.preview({ ...request, perSecond: 1 }, left.signal);
  expect(count).toBe(2500);
  expect(sample.map(({ position }) => position)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(world.largestPage).toBe(1000);
  expect(world.retryQueue).toEqual([]);
  left.abort();
  expect((await replays.preview({ ...request, perSecond: 1 }, left.signal)).count).toBe(0);
});

test('start and stop are fine twice, and in the wrong order: a replay runs once', async () => {
  const world = new World(20);
  const replays = new Replays(world.options());
  await replays.stop();
  await replays.start();
  await replays.start();
  const { id } = await replays.create({ ...request, perSecond: 1000 });
  await world.until(() => world.saved(id)?.status === 'done');
  await replays.stop();
  await replays.stop();
  expect(world.retryQueue.map(({ position }) => position)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1));
});

test.each([
  [0.1, 1],
  [1, 1],
  [2, 1],
  [100, 50],
  [10_000, 1000],
])('a batch at %d a second holds %d', (rate, size) => {
  expect(batchSize(rate)).toBe(size);
});

/** Time that passes only when everything waits for it. */
class SteppedClock implements Clock {
  #now = START;
  #waiting: { at: number; run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const wait = { at: this.#now + ms, run };
    this.#waiting.push(wait);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== wait);
    };
  }

  /** Lets what can run do so, then goes to the next time that is waited for; false when there is none by `end`. */
  async step(end: number): Promise<boolean> {
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    const next = this.#waiting.sort((a, b) => a.at - b.at)[0];
    if (!next || next.at > end) return false;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#now = Math.max(this.#now, next.at);
    next.run();
    return true;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (await this.step(end));
    this.#now = end;
  }
}

/** A store with failed messages at positions 1 to `size`; it keeps what is put into the retry queue. */
class World {
  readonly clock = new SteppedClock();
  readonly retryQueue: RequeueItem[] = [];
  readonly woken: string[] = [];
  readonly waitingAnyway = new Set<number>();
  readonly results = new Map<string, ReplayResult>();
  size: number;
  readonly #replays = new Map<string, Replay>();
  largestPage = 0;
  farthestAhead = 0;
  /** How many requeues fail from now on. */
  broken = 0;
  /** How many saves of replays fail from now on. */
  unsaved = 0;
  errors = 0;
  destinationGone = false;
  leavesFailed = false;
  connected = true;

  constructor(size: number) {
    this.size = size;
  }

  async replays(): Promise<Replays> {
    const replays = new Replays(this.options());
    open.push(replays);
    await replays.start();
    return replays;
  }

  options(): ReplayOptions {
    return {
      clock: this.clock,
      newId: () => 'rpl_1',
      scopeOf: async () => {
        if (this.destinationGone) return null;
        const connectedIds = this.connected ? ['src_1'] : [];
        return { sourceIds: ['src_1'], connectedIds, leavesFailed: this.leavesFailed };
      },
      exists: () => !this.destinationGone,
      undone: () => undefined,
      wake: (destinationId) => this.woken.push(destinationId),
      lookEvery: null,
      log: { error: () => this.errors++ },
      store: {
        candidates: async ({ after, limit }) => {
          const left = Math.max(0, this.size - Math.max(0, after));
          const page = Array.from({ length: Math.min(limit, left) }, (_, i) => candidate(Math.max(0, after) + i + 1));
          this.largestPage = Math.max(this.largestPage, page.length);
          return { items: page, next: page.length < limit ? null : (page.at(-1)?.position ?? null) };
        },
        requeue: async (_, items) => {
          if (this.broken-- > 0) throw new Error('the disk is full');
          const taken = items.filter(({ position }) => !this.waitingAnyway.has(position));
          this.retryQueue.push(...taken);
          this.farthestAhead = Math.max(this.farthestAhead, (taken.at(-1)?.dueAt ?? 0) - this.clock.now());
          return { put: taken.length, undone: [] };
        },
        saveReplay: async (replay) => {
          if (this.unsaved-- > 0) throw new Error('the disk is full');
          const before = this.#replays.get(replay.id) ?? replay;
          const isTaken = before.status === 'running' || before.status === replay.status;
          const [done, after] = [Math.max(before.done, replay.done), Math.max(before.after, replay.after)];
          this.#replays.set(replay.id, { ...(isTaken ? replay : before), done, after });
          return isTaken;
        },
        replayResults: async () => this.results,
        statesOf: async (positions) =>
          positions.flatMap((position) =>
            position % 3 === 0 ? [{ position, destinationId: 'dst_1', state: 'failed' as const }] : [],
          ),
        replays: async (which) =>
          [...this.#replays.values()].filter(
            ({ id, status }) => which === undefined || (which === 'running' ? status === 'running' : id === which.id),
          ),
      },
    };
  }

  saved(id: string): Replay | undefined {
    return this.#replays.get(id);
  }

  async until(reached: () => boolean): Promise<void> {
    while (!reached()) {
      const moved = await this.clock.step(Number.POSITIVE_INFINITY);
      if (!moved && !reached()) throw new Error('Nothing waits for time any more, and it is not reached.');
    }
  }

  busiestSecond(): number {
    const due = this.retryQueue.map(({ dueAt }) => dueAt);
    let most = 0;
    for (let first = 0, last = 0; last < due.length; last++) {
      while ((due[last] ?? 0) - (due[first] ?? 0) >= 1000) first++;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }
}

function candidate(position: number): ReplayCandidate {
  const words = {
    sourceId: 'src_1',
    type: position === NOTICE ? 'delete' : 'track',
    event: 'E',
    userId: 'u',
    receivedAt: START - 1,
    error: null,
  } as const;
  return { position, messageId: `m${position}`, ...words };
}
