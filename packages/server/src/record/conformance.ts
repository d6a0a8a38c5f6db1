import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, DeliveryResult, Retry } from '../core/delivery.ts';
import type { Event, LogEntry } from '../core/event.ts';
import { type Lane, NO_COUNTS } from '../core/lane.ts';
import { sampleEvent } from '../log/conformance.ts';
import type { EventLog } from '../log/contract.ts';
import type { Delivery, DeliveryQuery, DeliveryStore, Replay } from './contract.ts';
import { countsOf } from './test-counts.ts';

/** An implementation in an empty world of its own, as its tests open it. */
export interface RecordWorld {
  /** The log whose events are recorded; another one after `reopen` and `crash`. */
  readonly log: EventLog;
  /** The records; others after `reopen` and `crash`. */
  readonly deliveries: DeliveryStore;
  now(): number;
  /** Moves the time on; absent where the implementation lives by a clock of its own. */
  advance?(ms: number): void;
  /** Closes in good order and opens again. */
  reopen(): Promise<void>;
  /** Loses what a killed process loses, and opens what it left; absent where that can't be had. */
  crash?(): Promise<void>;
  close(): Promise<void>;
}

const URL_A = 'https://a.example/hook';
const WAITS = { state: 'retrying', urlsLeft: [URL_A] } as const;

/** A replay that has begun; a test names what matters to it. */
export function replayOf(more: Partial<Replay>): Replay {
  return {
    id: 'r1',
    destinationId: 'd',
    state: 'failed',
    filter: { event: null, userId: null, error: null },
    messageId: null,
    chosen: null,
    from: 1,
    to: null,
    perSecond: 100,
    status: 'running',
    total: 10,
    done: 0,
    after: -1,
    createdAt: 5,
    ...more,
  };
}

/** What became of an entry; a test names what matters to it. */
export function resultOf(lane: Lane, entry: LogEntry, more: Partial<DeliveryResult> = {}): DeliveryResult {
  return {
    laneId: lane.id,
    destinationId: lane.destinationId,
    entry,
    state: 'processed',
    reason: null,
    attempts: [],
    rounds: 1,
    firstAt: 1000,
    dueAt: null,
    urlsLeft: null,
    at: 2000,
    ...more,
  };
}

export function attemptAt(at: number, status: number | null = 500): Attempt {
  return { url: URL_A, at, ms: 12, status, error: null, detail: null, answer: 'no\n"good"' };
}

/** Everything that matches, page by page. */
export async function listAll(store: DeliveryStore, query: Partial<DeliveryQuery> = {}): Promise<Delivery[]> {
  const all: Delivery[] = [];
  let cursor: string | null = null;
  do {
    const page = await store.list({ ...EVERYTHING, limit: 1000, ...query, cursor });
    expect(page.items.length).toBeLessThanOrEqual(query.limit ?? 1000);
    all.push(...page.items);
    cursor = page.next;
  } while (cursor !== null);
  return all;
}

export const EVERYTHING: DeliveryQuery = {
  destinationId: null,
  state: null,
  event: null,
  userId: null,
  from: null,
  to: null,
  cursor: null,
  limit: 100,
};

/** What every `DeliveryStore` promises (record/contract.ts) of what it records, as tests; the rest is in search-conformance.ts. */
export function deliveryStoreConformance(name: string, open: () => Promise<RecordWorld>): void {
  describe(`${name} keeps the records' contract`, () => {
    let world: RecordWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const lane = (sourceId = 's', destinationId = 'd') => world.log.openLane(sourceId, destinationId);
    const append = <const Ids extends readonly string[]>(sourceId: string, ids: Ids, more: Partial<Event> = {}) =>
      appendTo(world, sourceId, ids, more);
    const settle = (...batch: DeliveryResult[]) => world.deliveries.settle(batch);
    const counts = (destinationId = 'd') => countsOf(world, destinationId);
    const claim = (now = world.now(), max = 10, destinationId = 'd') =>
      world.deliveries.claimDue(destinationId, now, max);
    const only = async (entry: LogEntry): Promise<Delivery | undefined> =>
      (await world.deliveries.deliveriesOf(entry.position))[0];
    /** Puts entries into the retry queue of their lane after a first round. */
    const queueRetries = (on: Lane, ...items: (readonly [LogEntry, dueAt: number, at?: number])[]) =>
      settle(...items.map(([entry, dueAt, at = 9]) => resultOf(on, entry, { ...WAITS, dueAt, at })));

    describe('settle', () => {
      test('records what became of an event, all of it', async () => {
        const open = await lane();
        const [entry] = await append('s', ['m1']);
        const result = resultOf(open, entry, {
          state: 'failed',
          reason: 'permanent',
          attempts: [
            attemptAt(1000, 404),
            { ...attemptAt(1001, null), error: 'timeout', detail: 'too slow', answer: null },
          ],
          rounds: 3,
        });
        await settle(result);
        expect(await world.deliveries.deliveriesOf(entry.position)).toEqual([
          {
            destinationId: 'd',
            position: entry.position,
            sourceId: 's',
            messageId: 'm1',
            type: 'track',
            event: 'Order Completed',
            userId: 'u1',
            receivedAt: entry.receivedAt,
            state: 'failed',
            reason: 'permanent',
            attempts: result.attempts,
            ...{ rounds: 3, dueAt: null, urlsLeft: null, at: 2000 },
          } satisfies Delivery,
        ]);
      });

      test('counts each state, at once and after a restart', async () => {
        const open = await lane();
        const entries = await append('s', ['a', 'b', 'c', 'd', 'e', 'f']);
        const [a, b, c, d, e] = entries;
        await settle(
          resultOf(open, a),
          resultOf(open, b),
          resultOf(open, c, { state: 'failed', reason: 'permanent' }),
          resultOf(open, d, { state: 'filtered', reason: 'integrations', rounds: 0, firstAt: null }),
          resultOf(open, e, { ...WAITS, dueAt: 5000 }),
        );
        const expected = { accepted: 6, processed: 2, failed: 1, filtered: 1, waiting: 2, retrying: 1 };
        expect(await counts()).toEqual(expected);
        await world.reopen();
        expect(await counts()).toEqual(expected);
        await world.crash?.();
        expect(await counts()).toEqual(expected);
      });

      test('of the same round again keeps one row and counts once', async () => {
        const open = await lane();
        const [a, b] = await append('s', ['a', 'b']);
        const done = resultOf(open, a, { attempts: [attemptAt(1)] });
        const queued = resultOf(open, b, { state: 'retrying', dueAt: 1, urlsLeft: [], attempts: [attemptAt(1)] });
        await settle(done, queued);
        await settle(done, queued, done);
        await world.reopen();
        await settle(done, queued);
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 2, processed: 1, waiting: 1, retrying: 1 });
        expect((await only(a))?.attempts).toHaveLength(1);
        expect((await only(b))?.attempts).toHaveLength(1);
      });

      test.for(['processed', 'failed', 'filtered'] as const)('leaves an end as it is: %s', async (end) => {
        const open = await lane();
        const [a] = await append('s', ['a']);
        const reason = 'condition:a equals "\\u0000 😀 \\""';
        await settle(resultOf(open, a, { state: end, reason }));
        for (const state of ['processed', 'failed', 'filtered', 'retrying'] as const) {
          const dueAt = state === 'retrying' ? 1 : null;
          await settle(resultOf(open, a, { state, reason: 'later', rounds: 9, dueAt }));
        }
        expect(await only(a)).toMatchObject({ state: end, reason, rounds: 1, dueAt: null });
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, [end]: 1 });
        expect(await claim()).toEqual({ items: [], nextDueAt: null });
      });

      test('takes an end for a message in the retry queue, though its lane handed it out again', async () => {
        const open = await lane();
        const [a] = await append('s', ['a']);
        await queueRetries(open, [a, 5000]);
        await settle(resultOf(open, a, { attempts: [attemptAt(9, 200)] }));
        expect(await only(a)).toMatchObject({ state: 'processed', dueAt: null });
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, processed: 1 });
        expect(await claim()).toEqual({ items: [], nextDueAt: null });
      });

      test('keeps the attempts of every round, in their order', async () => {
        const open = await lane();
        const [a] = await append('s', ['a']);
        for (const rounds of [1, 2, 3]) {
          const more = { attempts: [attemptAt(rounds)], rounds, dueAt: rounds, urlsLeft: [URL_A] };
          await settle(resultOf(open, a, { state: 'retrying', ...more }));
        }
        expect((await only(a))?.urlsLeft).toEqual([URL_A]);
        await settle(resultOf(open, a, { attempts: [attemptAt(4, 200)], rounds: 4, at: 4000 }));
        const attempts = [1, 2, 3, 4].map((at) => ({ at }));
        expect(await only(a)).toMatchObject({ state: 'processed', rounds: 4, at: 4000, urlsLeft: null, attempts });
      });

      test('keeps the lanes of one event apart', async () => {
        const [first, second] = [await lane('s', 'd'), await lane('s', 'e')];
        const [a] = await append('s', ['a']);
        await settle(resultOf(first, a), resultOf(second, a, { state: 'failed', reason: 'permanent' }));
        const found = await world.deliveries.deliveriesOf(a.position);
        expect(Object.fromEntries(found.map((each) => [each.destinationId, each.state]))).toEqual({
          d: 'processed',
          e: 'failed',
        });
        expect(await world.deliveries.deliveriesOf(a.position + 1)).toEqual([]);
      });
    });

    describe('counts', () => {
      test('are those of each lane, ended ones too', async () => {
        const first = await lane('s');
        const other = await lane('t');
        const [a, , x] = [...(await append('s', ['a', 'b'])), ...(await append('t', ['x']))];
        await settle(resultOf(first, a), resultOf(other, x, { state: 'failed' }));
        await world.log.endLane(first.id);
        await append('s', ['between']);
        const again = await lane('s');
        await append('s', ['c']);
        const expected = [
          {
            laneId: first.id,
            sourceId: 's',
            destinationId: 'd',
            counts: { ...NO_COUNTS, accepted: 2, processed: 1, waiting: 1 },
          },
          { laneId: other.id, sourceId: 't', destinationId: 'd', counts: { ...NO_COUNTS, accepted: 1, failed: 1 } },
          { laneId: again.id, sourceId: 's', destinationId: 'd', counts: { ...NO_COUNTS, accepted: 1, waiting: 1 } },
        ].toSorted((one, two) => one.laneId - two.laneId);
        expect((await world.deliveries.counts(['d'])).toSorted((one, two) => one.laneId - two.laneId)).toEqual(
          expected,
        );
        await world.log.removeLane(first.id);
        expect((await world.deliveries.counts(['d'])).map(({ laneId }) => laneId)).not.toContain(first.id);
        expect(await world.deliveries.counts(['unknown'])).toEqual([]);
      });

      test('of several destinations come together, each lane under its own', async () => {
        await lane('s');
        await lane('s', 'e');
        await lane('s', 'f');
        await append('s', ['a']);
        const counted = await world.deliveries.counts(['e', 'd', 'unknown']);
        expect(counted.map(({ destinationId }) => destinationId).toSorted()).toEqual(['d', 'e']);
        expect(counted.every(({ counts }) => counts.accepted === 1)).toBe(true);
      });

      test('count no duplicate', async () => {
        await lane();
        await append('s', ['a']);
        await append('s', ['a']);
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, waiting: 1 });
      });
    });

    describe('the oldest that waits', () => {
      const oldest = async (destinationId = 'd'): Promise<number | undefined> =>
        (await world.deliveries.oldestWaiting([destinationId, 'unknown'])).get(destinationId);

      test('is the first event without an end, in any lane, in the retry queue or not', async () => {
        const open = await lane();
        const other = await lane('t');
        expect(await world.deliveries.oldestWaiting(['d'])).toEqual(new Map());
        const [a, b, c] = await append('s', ['a', 'b', 'c'], { receivedAt: 1000 });
        const [x] = await append('t', ['x'], { receivedAt: 2000 });
        await append('unconnected', ['y'], { receivedAt: 1 });
        expect(await oldest()).toBe(1000);
        await settle(resultOf(open, a), resultOf(open, b, { state: 'failed' }));
        await queueRetries(open, [c, 99_000]);
        expect(await oldest()).toBe(1000);
        await settle(resultOf(open, c, { rounds: 2 }));
        expect(await oldest()).toBe(2000);
        await world.reopen();
        expect(await oldest()).toBe(2000);
        await settle(resultOf(other, x, { state: 'filtered', reason: 'disabled' }));
        expect(await oldest()).toBeUndefined();
      });

      test('counts for its destination alone, and while an ended lane still holds it', async () => {
        const open = await lane();
        await append('s', ['before'], { receivedAt: 1000 });
        await lane('s', 'e');
        await world.log.endLane(open.id);
        await append('s', ['after'], { receivedAt: 2000 });
        expect(await world.deliveries.oldestWaiting(['e', 'd'])).toEqual(
          new Map([
            ['d', 1000],
            ['e', 2000],
          ]),
        );
        await world.log.removeLane(open.id);
        expect(await oldest()).toBeUndefined();
      });
    });

    describe('the retry queue', () => {
      test('hands out what is due, longest due first', async () => {
        const open = await lane();
        const [a, b, c, d] = await append('s', ['a', 'b', 'c', 'd']);
        await queueRetries(open, [a, 300], [b, 100], [c, 200], [d, 301]);
        const { items, nextDueAt } = await claim(300);
        expect(items.map(({ entry }) => entry.messageId)).toEqual(['b', 'c', 'a']);
        expect(nextDueAt).toBe(301);
        const { entry, ...rest } = items[0] as Retry;
        const round = { rounds: 1, firstAt: 1000, urlsLeft: [URL_A], isReplay: false };
        expect(rest).toEqual({ laneId: open.id, destinationId: 'd', ...round });
        expect([...entry.body]).toEqual([...b.body]);
      });

      test('hands out no more than it was asked for, and says when the next is due', async () => {
        const open = await lane();
        const [a, b] = await append('s', ['a', 'b']);
        await queueRetries(open, [a, 100], [b, 200]);
        expect(await claim(1000, 1)).toMatchObject({ items: [{ entry: { messageId: 'a' } }], nextDueAt: 200 });
        expect((await claim(1000, 1)).items.map(({ entry }) => entry.messageId)).toEqual(['b']);
        expect(await claim(1000, 1)).toEqual({ items: [], nextDueAt: null });
      });

      test('makes due what would be due later, at most so many, of one destination', async () => {
        const [a, b, c] = await append('s', ['a', 'b', 'c']);
        await queueRetries(await lane(), [a, 3000], [b, 4000], [c, 5000]);
        await queueRetries(await lane('s', 'other'), [a, 3000, 2001]);
        for (const count of [2, 1, 0]) expect(await world.deliveries.hasten('d', 1000, 2)).toBe(count);
        expect([(await claim(1000)).items.length, (await claim(1000, 10, 'other')).nextDueAt]).toEqual([3, 3000]);
        // Put there later.
        expect(await world.deliveries.hasten('other', 1000, 5)).toBe(0);
        expect(await world.deliveries.hasten('other', 1000, [a.position, b.position])).toBe(1);
      });

      test('makes due all that it is told to, whatever is claimed or given back at the same time', async () => {
        const entries = await append('s', [...'abcdef']);
        await queueRetries(await lane(), ...entries.map((entry) => [entry, 5000] as const));
        world.deliveries.release((await claim(5000)).items);
        const hasten = ({ position }: LogEntry) => world.deliveries.hasten('d', 1000, [position]);
        await Promise.all(entries.flatMap((entry) => [claim(999), hasten(entry)]));
        expect((await claim(1000)).items).toHaveLength(6);
      });

      test('hands out each message once, however many ask', async () => {
        const open = await lane();
        const entries = await append('s', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
        await queueRetries(open, ...entries.map((entry, i) => [entry, i] as const));
        const claims = await Promise.all([claim(100, 2), claim(100, 2), claim(100, 2), claim(100, 2)]);
        const ids = claims.flatMap(({ items }) => items.map(({ entry }) => entry.messageId));
        expect(ids.toSorted()).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
      });

      test('is each destination’s own', async () => {
        const [first, second] = [await lane('s', 'd'), await lane('s', 'e')];
        const [a] = await append('s', ['a']);
        await queueRetries(first, [a, 100]);
        await queueRetries(second, [a, 200]);
        expect((await claim(1000, 10, 'd')).items).toHaveLength(1);
        const { items } = await claim(1000, 10, 'e');
        expect(items.map(({ laneId }) => laneId)).toEqual([second.id]);
        expect(await claim(1000, 10, 'unknown')).toEqual({ items: [], nextDueAt: null });
      });

      test('has a released message back, due as it was', async () => {
        const open = await lane();
        const [a] = await append('s', ['a']);
        await queueRetries(open, [a, 100]);
        const before = await claim(1000);
        world.deliveries.release(before.items);
        expect(await claim(99)).toEqual({ items: [], nextDueAt: 100 });
        expect(await claim(1000)).toEqual(before);
      });

      test('has a message back after its next round, for the one after', async () => {
        const open = await lane();
        const [a] = await append('s', ['a']);
        await queueRetries(open, [a, 100]);
        await claim(1000);
        await settle(resultOf(open, a, { state: 'retrying', rounds: 2, dueAt: 700, urlsLeft: [] }));
        expect(await claim(699)).toEqual({ items: [], nextDueAt: 700 });
        expect((await claim(700)).items).toMatchObject([{ rounds: 2, urlsLeft: [] }]);
        await settle(resultOf(open, a, { rounds: 3 }));
        expect(await claim(10_000)).toEqual({ items: [], nextDueAt: null });
      });

      test('has the claims of a process that ended back', async () => {
        const open = await lane();
        const [a, b] = await append('s', ['a', 'b']);
        await queueRetries(open, [a, 100], [b, 200]);
        await claim(1000, 1);
        await world.reopen();
        expect((await claim(1000)).items).toHaveLength(2);
        await world.crash?.();
        expect((await claim(1000)).items.length).toBe(world.crash ? 2 : 0);
      });
    });

    describe('requeue', () => {
      const requeue = (...items: (readonly [LogEntry, dueAt: number])[]) =>
        world.deliveries.requeue(
          'd',
          items.map(([{ position }, dueAt]) => ({ position, dueAt })),
          'r1',
        );

      test.for(['processed', 'failed', 'filtered'] as const)(
        'puts what was %s into the retry queue again',
        async (state) => {
          const open = await lane();
          const [a] = await append('s', ['a']);
          await settle(resultOf(open, a, { state, reason: 'why', rounds: 7, attempts: [attemptAt(1)] }));
          const end = await only(a);
          const minute = (end?.at ?? 0) - ((end?.at ?? 0) % 60_000);
          expect(await requeue([a, 500])).toEqual({
            put: 1,
            undone: [{ sourceId: 's', state, at: minute, messages: 1 }],
          });
          expect(await only(a)).toMatchObject({ state: 'retrying', reason: null, rounds: 0, dueAt: 500 });
          expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, waiting: 1, retrying: 1 });
          await world.crash?.();
          const { items } = await claim(500);
          const window = { rounds: 0, firstAt: null, urlsLeft: null, isReplay: true };
          expect(items).toMatchObject([{ laneId: open.id, ...window }]);
          await settle(resultOf(open, a, { attempts: [attemptAt(2, 200)] }));
          expect((await only(a))?.attempts.map(({ at }) => at)).toEqual([1, 2]);
          expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, processed: 1 });
        },
      );

      test('leaves alone what waits in its lane or is in the retry queue', async () => {
        const open = await lane();
        const [a, b] = await append('s', ['a', 'b']);
        await queueRetries(open, [a, 900]);
        expect(await requeue([a, 1], [b, 1])).toEqual({ put: 0, undone: [] });
        expect(await claim(899)).toEqual({ items: [], nextDueAt: 900 });
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 2, waiting: 2, retrying: 1 });
        expect((await world.deliveries.requeue('d', [{ position: Number.MAX_SAFE_INTEGER, dueAt: 1 }], 'r1')).put).toBe(
          0,
        );
      });

      test('takes events from before the lane’s start, once, and counts them', async () => {
        const [a, b] = await append('s', ['a', 'b']);
        const [alien] = await append('t', ['x']);
        const open = await lane();
        await append('s', ['c']);
        expect(await requeue([a, 10], [b, 20], [alien, 30])).toEqual({ put: 2, undone: [] });
        expect((await requeue([a, 10])).put).toBe(0);
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 3, waiting: 3, retrying: 2 });
        await settle(resultOf(open, a, { state: 'failed' }));
        expect((await requeue([a, 10])).put).toBe(1);
        await settle(resultOf(open, a), resultOf(open, b));
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 3, processed: 2, waiting: 1 });
        await world.reopen();
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 3, processed: 2, waiting: 1 });
      });

      test('takes events from between two lanes of a pair', async () => {
        const first = await lane();
        await world.log.endLane(first.id);
        const [a] = await append('s', ['a']);
        expect((await requeue([a, 10])).put).toBe(0);
        const second = await lane();
        expect((await requeue([a, 10])).put).toBe(1);
        expect((await claim()).items.map(({ laneId }) => laneId)).toEqual([second.id]);
        expect(await counts()).toEqual({ ...NO_COUNTS, accepted: 1, waiting: 1, retrying: 1 });
      });
    });
  });
}

/** Appends events and answers them as the log has them. */
export async function appendTo<const Ids extends readonly string[]>(
  world: RecordWorld,
  sourceId: string,
  ids: Ids,
  more: Partial<Event> = {},
): Promise<{ readonly [K in keyof Ids]: LogEntry }> {
  await world.log.append(ids.map((id) => sampleEvent(sourceId, id, { receivedAt: world.now(), ...more })));
  const entries = await Promise.all(ids.map((id) => world.log.find(id, [sourceId])));
  return entries as unknown as { readonly [K in keyof Ids]: LogEntry };
}
