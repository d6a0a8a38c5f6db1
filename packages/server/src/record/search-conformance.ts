import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Attempt, DeliveryResult, DeliveryState } from '../core/delivery.ts';
import { EVENT_TYPES, type Event, type LogEntry } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import { appendTo, attemptAt, EVERYTHING, listAll, type RecordWorld, replayOf, resultOf } from './conformance.ts';
import type { Delivery, DeliveryQuery, EventQuery, EventSummary, Replay, ReplayQuery } from './contract.ts';
import { countsOf } from './test-counts.ts';

/** What every `DeliveryStore` promises (record/contract.ts) of what people look for in it, as tests. */
export function deliverySearchConformance(name: string, open: () => Promise<RecordWorld>): void {
  describe(`${name} keeps the contract of searching the records`, () => {
    let world: RecordWorld;
    beforeEach(async () => {
      world = await open();
    });
    afterEach(() => world.close());

    const lane = (sourceId = 's', destinationId = 'd') => world.log.openLane(sourceId, destinationId);
    const append = <const Ids extends readonly string[]>(sourceId: string, ids: Ids, more: Partial<Event> = {}) =>
      appendTo(world, sourceId, ids, more);
    const settle = (...batch: Parameters<typeof world.deliveries.settle>[0]) => world.deliveries.settle(batch);

    describe('list', () => {
      const STATES: readonly DeliveryState[] = ['processed', 'failed', 'filtered', 'retrying'];

      /** Four destinations, each with every state and all kinds of events, over some minutes. */
      async function fill(count: number): Promise<LogEntry[]> {
        const lanes: Lane[] = [];
        for (const [i, destinationId] of ['d', 'e', 'f', 'g'].entries()) {
          lanes.push(await lane(i % 2 ? 's' : 't', destinationId), await lane('u', destinationId));
        }
        const all: LogEntry[] = [];
        for (let i = 0; i < count; i++) {
          const more = { name: `E${i % 5}`, userId: i % 3 ? `u${i % 7}` : null, receivedAt: world.now() + i * 1000 };
          const entries = await append(['s', 't', 'u'][i % 3] ?? 's', [`m${i}`], more);
          all.push(...entries);
        }
        await world.deliveries.settle(
          all.flatMap((entry, i) =>
            lanes
              .filter(({ sourceId }) => sourceId === entry.sourceId)
              .map((each, j) => {
                const state = STATES[(i * 7 + j) % 4] ?? 'failed';
                return resultOf(each, entry, { state, dueAt: state === 'retrying' ? i : null });
              }),
          ),
        );
        return all;
      }

      const keys = (deliveries: readonly Delivery[]) =>
        deliveries.map(({ position, destinationId }) => `${position} ${destinationId}`);

      test('has everything, newest first, whatever the size of a page', async () => {
        const entries = await fill(40);
        const all = await listAll(world.deliveries);
        expect(new Set(keys(all)).size).toBe(all.length);
        expect(new Set(all.map(({ position }) => position))).toEqual(new Set(entries.map(({ position }) => position)));
        expect(all.map(({ position }) => position)).toEqual(
          all.map(({ position }) => position).toSorted((a, b) => b - a),
        );
        for (const limit of [1, 2, 3, 7]) expect(keys(await listAll(world.deliveries, { limit }))).toEqual(keys(all));
      });

      test('keeps to each filter and to all of them together', async () => {
        const entries = await fill(60);
        const all = await listAll(world.deliveries);
        const [from, to] = [entries[10]?.receivedAt ?? 0, entries[45]?.receivedAt ?? 0];
        const filters: Partial<DeliveryQuery>[] = [
          ...STATES.map((state) => ({ state })),
          { destinationId: 'd' },
          { destinationId: 'unknown' },
          { event: 'E3' },
          { userId: 'u4' },
          { from },
          { to },
          { from, to },
          { from: to, to: from },
          { destinationId: 'e', state: 'failed', event: 'E1', from, to },
          { state: 'processed', userId: 'u2', to },
        ];
        for (const filter of filters) {
          const expected = keys(all.filter((delivery) => matches(delivery, { ...EVERYTHING, ...filter })));
          for (const limit of [2, 50]) {
            expect(keys(await listAll(world.deliveries, { ...filter, limit })), JSON.stringify(filter)).toEqual(
              expected,
            );
          }
        }
      });

      test('pages on without a gap or a repetition while new rows arrive', async () => {
        await fill(30);
        const all = await listAll(world.deliveries, { destinationId: 'd' });
        const open = await lane('new', 'd');
        const seen: Delivery[] = [];
        let cursor: string | null = null;
        let n = 0;
        do {
          const page = await world.deliveries.list({ ...EVERYTHING, destinationId: 'd', limit: 3, cursor });
          seen.push(...page.items);
          cursor = page.next;
          const receivedAt = world.now() + 3_600_000;
          const entries = await append('new', [`n${n++}`, `n${n++}`], { receivedAt });
          await settle(...entries.map((entry) => resultOf(open, entry)));
        } while (cursor !== null);
        expect(keys(seen)).toEqual(keys(all));
      });

      test('does not show what still waits in its lane', async () => {
        await lane();
        await append('s', ['a']);
        expect(await listAll(world.deliveries)).toEqual([]);
      });
    });

    describe('events', () => {
      /** All kinds of events of two sources, over some minutes; no destination takes those of `t`. */
      async function fill(count: number): Promise<LogEntry[]> {
        const taken = await lane('s');
        const all: LogEntry[] = [];
        for (let i = 0; i < count; i++) {
          const type = EVENT_TYPES[i % EVENT_TYPES.length] ?? 'track';
          const name = type === 'track' ? `E${i % 3}` : null;
          const more = { type, name, userId: i % 4 ? `u${i % 5}` : null, receivedAt: world.now() + i * 1000 };
          all.push(...(await append(i % 3 ? 's' : 't', [`m${i}`], more)));
        }
        await settle(...all.filter(({ sourceId }) => sourceId === 's').map((entry) => resultOf(taken, entry)));
        return all;
      }

      async function found(query: Partial<EventQuery>): Promise<EventSummary[]> {
        const all: EventSummary[] = [];
        let cursor: string | null = null;
        do {
          const page = await world.deliveries.events({ ...ANY_EVENT, ...query, cursor });
          expect(page.items.length).toBeLessThanOrEqual(query.limit ?? ANY_EVENT.limit);
          all.push(...page.items);
          cursor = page.next;
        } while (cursor !== null);
        return all;
      }

      const positions = (events: readonly { position: number }[]) => events.map(({ position }) => position);

      test('are all found, newest first, taken by a destination or not', async () => {
        const entries = (await fill(30)).toReversed();
        expect(positions(await found({}))).toEqual(positions(entries));
        for (const limit of [1, 2, 7, 30]) expect(positions(await found({ limit }))).toEqual(positions(entries));
        const [newest] = entries;
        expect((await found({}))[0]).toEqual({
          position: newest?.position,
          messageId: 'm29',
          sourceId: 's',
          type: newest?.type,
          event: newest?.name,
          userId: newest?.userId,
          receivedAt: newest?.receivedAt,
        });
      });

      test('keep to each filter and to all of them together', async () => {
        const entries = (await fill(60)).toReversed();
        const [to, from] = [entries[10]?.receivedAt ?? 0, entries[45]?.receivedAt ?? 0];
        const filters: Partial<EventQuery>[] = [
          { sourceId: 't' },
          { sourceId: 'unknown' },
          { type: 'page' },
          { event: 'E1' },
          { userId: 'u3' },
          { messageId: 'm7' },
          { messageId: 'm7', sourceId: 't' },
          { messageId: 'm7', from },
          { messageId: 'none' },
          { from },
          { to },
          { from, to },
          { from: to, to: from },
          { sourceId: 's', type: 'track', event: 'E0', from, to },
          { match: 'prefix', event: 'e' },
          { match: 'prefix', event: 'e1', sourceId: 's', from },
          { match: 'prefix', messageId: 'M1' },
          { match: 'prefix', messageId: 'm1', userId: 'U' },
          { match: 'prefix', userId: '%' },
          { match: 'prefix', type: 'page', to },
        ];
        for (const filter of filters) {
          const expected = positions(entries.filter((entry) => eventMatches(entry, { ...ANY_EVENT, ...filter })));
          for (const limit of [2, 50]) {
            expect(positions(await found({ ...filter, limit })), JSON.stringify(filter)).toEqual(expected);
          }
        }
      });

      test('are told by how they stand at each destination', async () => {
        const [first, second] = [await lane('s', 'd'), await lane('s', 'e')];
        const [a, b, c] = await append('s', ['a', 'b', 'c']);
        await settle(resultOf(first, a), resultOf(second, a, { state: 'failed', reason: 'permanent' }));
        await settle(resultOf(first, b, { state: 'filtered', reason: 'track_filter' }));
        const states = await world.deliveries.statesOf([a.position, b.position, c.position, c.position + 1_000]);
        expect(new Set(states)).toEqual(
          new Set([
            { position: a.position, destinationId: 'd', state: 'processed' },
            { position: a.position, destinationId: 'e', state: 'failed' },
            { position: b.position, destinationId: 'd', state: 'filtered' },
          ]),
        );
        expect(await world.deliveries.statesOf([])).toEqual([]);
      });

      test('are told by how they ended at a destination that was deleted', async () => {
        const [there, gone, off] = [await lane('s', 'd'), await lane('s', 'gone'), await lane('s', 'off')];
        const [a, b] = await append('s', ['a', 'b']);
        await settle(
          ...[resultOf(there, a), resultOf(gone, a)],
          resultOf(off, a, { state: 'retrying', rounds: 2, dueAt: 9_000, urlsLeft: ['u'] }),
          resultOf(gone, b, { state: 'failed', reason: 'rejected' }),
        );
        for (const { id } of [gone, off]) {
          await world.log.endLane(id);
          await world.log.removeLane(id);
        }
        const states = await world.deliveries.statesOf([a.position, b.position]);
        const told = states.map(({ position, destinationId, state }) => [position, destinationId, state]);
        const byDestination = ([, x]: unknown[], [, y]: unknown[]) => (String(x) < String(y) ? -1 : 1);
        expect(told.filter(([position]) => position === a.position).toSorted(byDestination)).toEqual([
          [a.position, 'd', 'processed'],
          [a.position, 'gone', 'processed'],
          [a.position, 'off', 'filtered'],
        ]);
        expect(told).toContainEqual([b.position, 'gone', 'failed']);
        const deliveries = await world.deliveries.deliveriesOf(a.position);
        expect(deliveries.find(({ destinationId }) => destinationId === 'gone')).toMatchObject({ state: 'processed' });
        const ended = { state: 'filtered', reason: 'destination_disabled', dueAt: null, urlsLeft: null, rounds: 2 };
        expect(deliveries.find(({ destinationId }) => destinationId === 'off')).toMatchObject(ended);
      });

      test('are listed of a deleted destination as ended, what was retried as filtered', async () => {
        const gone = await lane('s', 'gone');
        const entries = await append('s', ['a', 'b', 'c', 'd', 'e', 'f']);
        const states = ['retrying', 'filtered', 'processed', 'failed', 'retrying', 'filtered'] as const;
        await settle(
          ...entries.map((entry, i) => {
            const state = states[i] ?? 'failed';
            return resultOf(gone, entry, state === 'retrying' ? { state, dueAt: 9_000, urlsLeft: ['u'] } : { state });
          }),
        );
        await world.log.endLane(gone.id);
        await world.log.removeLane(gone.id);
        const listed = (state: DeliveryState | null, limit = 1) =>
          listAll(world.deliveries, { destinationId: 'gone', state, limit });
        const ids = async (state: DeliveryState | null, limit?: number) =>
          (await listed(state, limit)).map(({ messageId }) => messageId);
        expect(await ids('filtered')).toEqual(['f', 'e', 'b', 'a']);
        expect(await ids('filtered', 10)).toEqual(['f', 'e', 'b', 'a']);
        expect([await ids('retrying'), await ids('processed'), await ids('failed')]).toEqual([[], ['c'], ['d']]);
        const ended = { state: 'filtered', reason: 'destination_disabled', dueAt: null, urlsLeft: null };
        expect((await listed('filtered'))[1]).toMatchObject(ended);
        expect((await listed(null)).find(({ messageId }) => messageId === 'a')).toMatchObject(ended);
      });

      test('are found by a messageId in every source that sent it, and page by page', async () => {
        const [first] = await append('s', ['same']);
        await append('s', ['other']);
        const [second] = await append('t', ['same']);
        expect(positions(await found({ messageId: 'same' }))).toEqual([second.position, first.position]);
        expect(positions(await found({ messageId: 'same', limit: 1 }))).toEqual([second.position, first.position]);
        expect(positions(await found({ messageId: 'same', sourceId: 's' }))).toEqual([first.position]);
        await world.reopen();
        expect(positions(await found({ messageId: 'same' }))).toEqual([second.position, first.position]);
      });
    });

    describe('replays', () => {
      const query: ReplayQuery = {
        destinationId: 'd',
        state: 'failed',
        sourceIds: ['s', 't'],
        event: null,
        userId: null,
        error: null,
        from: null,
        to: null,
        after: -1,
        limit: 100,
      };
      const ids = async (more: Partial<ReplayQuery>) =>
        (await world.deliveries.candidates({ ...query, ...more })).items.map(({ messageId }) => messageId);

      test('that are over stay so', async () => {
        const words = {
          destinationId: 'd',
          state: 'all',
          filter: { event: 'E', userId: null, error: null },
          messageId: null,
          chosen: null,
        } as const;
        const replay: Replay = {
          ...{ id: 'r1', ...words, from: null, to: null, perSecond: 1, status: 'running', total: 9, done: 1 },
          ...{ after: 1, createdAt: 5 },
        };
        expect(await world.deliveries.saveReplay(replay)).toBe(true);
        expect(await world.deliveries.saveReplay({ ...replay, done: 2 })).toBe(true);
        const stopped = { ...replay, status: 'stopped', done: 2 } as const;
        expect(await world.deliveries.saveReplay(stopped)).toBe(true);
        // What was under way when it was stopped counts.
        expect(await world.deliveries.saveReplay({ ...replay, done: 3, after: 9 })).toBe(false);
        expect(await world.deliveries.saveReplay({ ...replay, status: 'done' })).toBe(false);
        expect(await world.deliveries.replays()).toEqual([{ ...stopped, done: 3, after: 9 }]);
        const filter = { event: null, userId: null, error: null };
        expect(await world.deliveries.saveReplay({ ...stopped, filter })).toBe(true);
        expect(await world.deliveries.replays()).toEqual([{ ...stopped, done: 3, after: 9, filter }]);
      });

      test('have a result, each its own, exactly, also when one repeats a batch or another takes the same', async () => {
        const open = await lane('s');
        const [a, b, c] = await append('s', ['a', 'b', 'c']);
        const failed = { state: 'failed', reason: 'rejected' } as const;
        await settle(resultOf(open, a, failed), resultOf(open, b, failed), resultOf(open, c, failed));
        const items = [a, b, c].map(({ position }) => ({ position, dueAt: 1 }));
        const result = async (id = 'r1') => (await world.deliveries.replayResults([id])).get(id);
        const NOTHING = { processed: 0, failed: 0, filtered: 0, retrying: 0 };
        expect(await result()).toBeUndefined();
        await world.deliveries.requeue('d', items, 'r1');
        expect(await result()).toMatchObject({ ...NOTHING, retrying: 3 });
        await settle(
          resultOf(open, a),
          resultOf(open, b, failed),
          resultOf(open, c, { state: 'retrying', dueAt: 9, rounds: 1, urlsLeft: [] }),
        );
        expect(await result()).toMatchObject({ ...NOTHING, processed: 1, failed: 1, retrying: 1 });
        // It was killed before it had saved how far it was.
        await world.deliveries.requeue('d', items, 'r1');
        expect(await result()).toMatchObject({ ...NOTHING, retrying: 3 });
        await settle(resultOf(open, a), resultOf(open, b, failed), resultOf(open, c, { state: 'filtered' }));
        await world.reopen();
        expect(await result()).toMatchObject({ ...NOTHING, processed: 1, failed: 1, filtered: 1 });
        await world.deliveries.requeue('d', [{ position: b.position, dueAt: 5 }], 'r2', ['url_b']);
        const { items: claimed } = await world.deliveries.claimDue('d', 1000, 10);
        expect(claimed).toMatchObject([{ rounds: 0, urlsLeft: ['url_b'] }]);
        await settle(resultOf(open, b));
        expect(await result()).toMatchObject({ ...NOTHING, processed: 1, failed: 1, filtered: 1 });
        expect(await result('r2')).toMatchObject({ ...NOTHING, processed: 1 });
        const sum = { accepted: 3, processed: 2, failed: 0, filtered: 1, waiting: 0, retrying: 0 };
        expect(await countsOf(world, 'd')).toEqual(sum);
      });

      test('take what failed in one way: by status, by class, by code, or without an attempt', async () => {
        const open = await lane('s');
        const [a, b, c, d, e, f, g] = await append('s', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
        const failed = (entry: LogEntry, reason: string, ...attempts: Partial<Attempt>[]): DeliveryResult => {
          const made = attempts.map((attempt, i) => ({ ...attemptAt(i), status: null, ...attempt }));
          return resultOf(open, entry, { state: 'failed', reason, attempts: made });
        };
        const at = (webhookId: string, status: number) => ({ webhookId, status });
        const stalled = { webhookId: 'b', error: 'url_stalled' };
        await settle(
          failed(a, 'rejected', { error: 'timeout' }, { status: 401, answer: 'no \u0000 \n "status":503' }),
          failed(b, 'rejected', { status: 404 }),
          failed(c, 'window_ended', { status: 503 }, { error: 'timeout' }),
          failed(d, 'window_ended'),
          // Another URL took it after one had refused it, and after a failure that passed.
          failed(e, 'rejected_by_one', { ...at('a', 422), answer: '"status":200' }, at('b', 503), at('b', 200)),
          // One URL refused it for good, and another was tried until the window ended.
          failed(f, 'window_ended', at('a', 401), at('b', 500), at('c', 200), stalled),
          failed(g, 'window_ended', at('b', 500), stalled),
        );
        const all = await world.deliveries.candidates(query);
        const ends = ['401', '404', 'timeout', 'window_ended', '422', '401', '500'];
        expect(all.items.map(({ error }) => error)).toEqual(ends);
        expect(await ids({ error: '401' })).toEqual(['a', 'f']);
        expect(await ids({ error: '4xx' })).toEqual(['a', 'b', 'e', 'f']);
        expect(await ids({ error: '5xx' })).toEqual(['g']);
        expect(await ids({ error: 'url_stalled' })).toEqual([]);
        expect(await ids({ error: 'timeout' })).toEqual(['c']);
        expect(await ids({ error: 'window_ended' })).toEqual(['d']);
      });

      test('take the failed ones of a destination, or every event of its sources', async () => {
        const [first, second] = [await lane('s'), await lane('t')];
        expect([await ids({ state: 'all' }), await ids({})]).toEqual([[], []]);
        const start = world.now();
        const [a, b, c] = await append('s', ['a', 'b', 'c'], { receivedAt: start });
        const [x] = await append('t', ['x'], { name: 'Other', userId: null, receivedAt: start + 10 });
        const [y] = await append('u', ['y'], { receivedAt: start + 20 });
        const failed = { state: 'failed', reason: 'permanent' } as const;
        await settle(resultOf(first, a, failed), resultOf(first, b), resultOf(second, x, failed));
        const one = await world.deliveries.candidates({ ...query, limit: 1 });
        expect(one.next).toBe(a.position);
        expect(one.items).toEqual([
          {
            position: a.position,
            messageId: 'a',
            sourceId: 's',
            type: 'track',
            event: 'Order Completed',
            userId: 'u1',
            receivedAt: start,
            error: 'permanent',
          },
        ]);
        expect(await ids({})).toEqual(['a', 'x']);
        expect(await ids({ state: 'all' })).toEqual(['a', 'b', 'c', 'x']);
        expect(await ids({ state: 'all', sourceIds: ['u', 'unknown'] })).toEqual(['y']);
        expect(await ids({ sourceIds: ['t'] })).toEqual(['x']);
        expect(await ids({ state: 'all', after: b.position, limit: 2 })).toEqual(['c', 'x']);
        expect(await ids({ after: a.position })).toEqual(['x']);
        expect(await ids({ event: 'Other' })).toEqual(['x']);
        expect(await ids({ userId: 'u1' })).toEqual(['a']);
        expect(await ids({ from: start + 10 })).toEqual(['x']);
        expect(await ids({ state: 'all', to: start + 10 })).toEqual(['a', 'b', 'c']);
        expect(await ids({ state: 'all', from: start + 10, to: start + 10 })).toEqual([]);
        expect(await ids({ destinationId: 'unknown' })).toEqual([]);
        expect([c.position, y.position].every((position) => position > b.position)).toBe(true);
      });

      test('are kept and replaced', async () => {
        const replay = replayOf({ filter: { event: 'é', userId: null, error: null } });
        expect(await world.deliveries.replays()).toEqual([]);
        await world.deliveries.saveReplay(replay);
        await world.deliveries.saveReplay({ ...replay, id: 'r2' });
        await world.deliveries.saveReplay({ ...replay, status: 'done', done: 10, after: 99 });
        await world.reopen();
        const kept = (await world.deliveries.replays()).toSorted((a, b) => (a.id < b.id ? -1 : 1));
        expect(kept).toEqual([
          { ...replay, status: 'done', done: 10, after: 99 },
          { ...replay, id: 'r2' },
        ]);
        const ids = async (which?: 'running' | { id: string }) =>
          (await world.deliveries.replays(which)).map(({ id }) => id);
        expect([await ids('running'), await ids({ id: 'r2' }), await ids({ id: 'r3' })]).toEqual([['r2'], ['r2'], []]);
        // A text of the filter is no status.
        const filter = { event: '"status":"running"', userId: null, error: null };
        await world.deliveries.saveReplay({ ...replay, id: 'r3', filter, status: 'stopped' });
        expect(await ids('running')).toEqual(['r2']);
      });
    });
  });
}

function matches(delivery: Delivery, query: DeliveryQuery): boolean {
  return (
    (query.destinationId === null || delivery.destinationId === query.destinationId) &&
    (query.state === null || delivery.state === query.state) &&
    (query.event === null || delivery.event === query.event) &&
    (query.userId === null || delivery.userId === query.userId) &&
    (query.from === null || delivery.receivedAt >= query.from) &&
    (query.to === null || delivery.receivedAt < query.to)
  );
}

/** What a replay of all that failed at `d` asks for. */
export const CANDIDATES: ReplayQuery = {
  ...EVERYTHING,
  destinationId: 'd',
  state: 'failed',
  sourceIds: ['s'],
  error: null,
  after: -1,
};

export const ANY_EVENT: EventQuery = {
  messageId: null,
  sourceId: null,
  type: null,
  event: null,
  userId: null,
  from: null,
  to: null,
  cursor: null,
  limit: 100,
};

function eventMatches(entry: LogEntry, query: EventQuery): boolean {
  return (
    isMeant(entry.messageId, query.messageId, query.match) &&
    (query.sourceId === null || entry.sourceId === query.sourceId) &&
    (query.type === null || entry.type === query.type) &&
    isMeant(entry.name, query.event, query.match) &&
    isMeant(entry.userId, query.userId, query.match) &&
    (query.from === null || entry.receivedAt >= query.from) &&
    (query.to === null || entry.receivedAt < query.to)
  );
}

function isMeant(word: string | null, asked: string | null, match: EventQuery['match']): boolean {
  if (asked === null || match !== 'prefix') return asked === null || word === asked;
  return word?.toLowerCase().startsWith(asked.toLowerCase()) ?? false;
}
