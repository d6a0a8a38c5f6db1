import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Postgres, startPostgres } from '../../../../../test/cluster/postgres.ts';
import { HandClock } from '../../../../../test/hand-clock.ts';
import type { LogEntry } from '../../core/event.ts';
import { PEOPLE } from '../../core/lane.ts';
import { sampleEvent } from '../../log/conformance.ts';
import { Database } from './database.ts';
import { PeopleLanes } from './people-lanes.ts';
import { openProfileStores } from './profile-store.ts';
import { openPostgresStore } from './store.ts';

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);
afterAll(() => postgres.stop());

/** A stream of two sources in memory with its index, and the profiles beside it. */
async function world() {
  const url = await postgres.createDatabase();
  const store = await openPostgresStore({ url, clock: new HandClock(), failed: () => undefined });
  const database = new Database({ url, connections: 2, deadline: 5_000 });
  const profiles = openProfileStores(url);
  onTestFinished(async () => {
    await Promise.all([profiles.close(), database.close(), store.close()]);
  });
  const stream = new Map<number, LogEntry>();
  let end = 0;
  const indexed = (): Promise<void> => {
    const entries = [...stream.values()].toSorted((a, b) => a.position - b.position);
    return store.index.add(0, entries, end, []);
  };
  const lanes = (fetching: () => Promise<void> = () => Promise.resolve()) =>
    new PeopleLanes({
      ...{ database, clock: new HandClock(), every: 5, end: async () => [end] },
      log: {
        async fetch(positions) {
          await fetching();
          return positions.map((position) => stream.get(position));
        },
      },
    });
  return {
    index: store.index,
    lanes,
    indexed,
    stream,
    /** Appends; in the index only after `indexed`. */
    append(sourceId: string, count: number) {
      for (let i = 0; i < count; i++) {
        const position = ++end;
        const at = 1_800_000_000_000 + position;
        stream.set(position, { ...sampleEvent(sourceId, `m${position}`, { receivedAt: at }), position });
      }
    },
    takenIn: (sourceId: string, position: number) =>
      profiles.changes.transaction((writer) => writer.setPositions(new Map([[sourceId, position]]))),
    end: () => end,
  };
}

const never = new AbortController().signal;
const positionsOf = (entries: readonly LogEntry[]): number[] => entries.map(({ position }) => position);

test('a lane is read in order from where the profiles have its source, by whoever reads it next too', async () => {
  const { index, lanes, append, indexed, takenIn } = await world();
  const lane = await index.openLane('s', PEOPLE, 0);
  append('s', 3);
  append('other', 2);
  append('s', 2);
  await indexed();
  const first = lanes().read(lane.id);
  expect(positionsOf(await first.pull(2, never))).toEqual([1, 2]);
  expect(positionsOf(await first.pull(9, never))).toEqual([3, 6, 7]);
  expect(await first.waiting()).toBe(5);
  await takenIn('s', 3);
  const next = lanes().read(lane.id);
  expect(await next.waiting()).toBe(2);
  expect(await next.oldestWaiting()).toBe(1_800_000_000_006);
  expect(positionsOf(await next.pull(9, never))).toEqual([6, 7]);
});

test('whoever waits gets what comes, and ends with the lane; what the log has lost is passed over', async () => {
  const { index, lanes, append, indexed, stream, end } = await world();
  const lane = await index.openLane('s', PEOPLE, 0);
  const reader = lanes().read(lane.id);
  const waiting = reader.pull(9, never);
  append('s', 2);
  await indexed();
  expect(positionsOf(await waiting)).toEqual([1, 2]);
  append('s', 2);
  stream.delete(3);
  stream.set(3, { ...sampleEvent('s', 'm3'), position: 3 });
  await indexed();
  stream.delete(3);
  expect(positionsOf(await reader.pull(1, never))).toEqual([4]);
  const last = reader.pull(9, never);
  append('s', 1);
  await index.endLane(lane.id, end());
  append('s', 1);
  await indexed();
  expect(positionsOf(await last)).toEqual([5]);
  expect(await reader.pull(9, never)).toEqual([]);
});

test('nothing waits only where the index has come to the end of the log', async () => {
  const { index, lanes, append, indexed } = await world();
  const lane = await index.openLane('s', PEOPLE, 0);
  const reader = lanes().read(lane.id);
  expect(await reader.oldestWaiting()).toBeNull();
  append('s', 1);
  expect(await reader.oldestWaiting()).not.toBeNull();
  await indexed();
  await reader.pull(9, never);
  expect(await reader.oldestWaiting()).toBeNull();
});

test('what is being fetched waits until it is here', async () => {
  const { index, lanes, append, indexed } = await world();
  const lane = await index.openLane('s', PEOPLE, 0);
  append('s', 1);
  await indexed();
  const begun = Promise.withResolvers<void>();
  const slow = Promise.withResolvers<void>();
  const reader = lanes(() => {
    begun.resolve();
    return slow.promise;
  }).read(lane.id);
  const page = reader.pull(9, never);
  await begun.promise;
  expect(await reader.oldestWaiting()).toBe(1_800_000_000_001);
  slow.resolve();
  expect(positionsOf(await page)).toEqual([1]);
  expect(await reader.oldestWaiting()).toBeNull();
});

test('a wait ends with its signal', async () => {
  const { index, lanes } = await world();
  const lane = await index.openLane('s', PEOPLE, 0);
  const stop = new AbortController();
  const waiting = lanes().read(lane.id).pull(9, stop.signal);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
