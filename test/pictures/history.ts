import { createCollector } from '../../packages/server/src/collect/collector.ts';
import { type Clock, systemClock } from '../../packages/server/src/core/clock.ts';
import { StatsCounter } from '../../packages/server/src/record/stats.ts';
import { openSqliteStore, type SqliteStore } from '../../packages/server/src/stores/sqlite/store.ts';
import { Random } from '../simulation/random.ts';
import type { Cast } from './cast.ts';
import { writeJournal } from './journal.ts';
import { PastDestination } from './past-destination.ts';
import { callsOf, eventsIn } from './traffic.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A day, and the day before it that it is compared with. */
export const HISTORY_MS: number = 48 * HOUR;

/** Calls of one request, at most. */
const BATCH = 20;

/** The numbers over time reach the store this often, minutes. */
const FLUSH_EVERY = 30;

/** Time as the history tells it. Waits are real. */
class ToldClock implements Clock {
  #now: number;
  readonly after: Clock['after'] = systemClock.after;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  set(now: number): void {
    this.#now = now;
  }
}

/**
 * Fills a data folder with two days of a small shop that end now: calls go through the collector and into the log, each
 * destination reads its lanes and records what became of them, and the numbers over time are counted as the service counts
 * them. The same seed tells the same story.
 */
export async function makeHistory(dataDir: string, cast: Cast, seed: number): Promise<void> {
  const random = new Random(seed);
  const end = Date.now();
  const start = end - (end % MINUTE) - HISTORY_MS;
  const clock = new ToldClock(start);
  const store = await openSqliteStore({ dataDir, clock });
  try {
    for (const { perMinute: _, ...source } of cast.sources) await store.settings.putSource(source);
    for (const destination of cast.destinations) await store.settings.putDestination(destination);
    await writeJournal(store.accounts, cast, end, random.fork('journal'));
    await tell({ store, clock, cast, random, start, end });
  } finally {
    await store.close();
  }
}

interface Telling {
  readonly store: SqliteStore;
  readonly clock: ToldClock;
  readonly cast: Cast;
  readonly random: Random;
  readonly start: number;
  readonly end: number;
}

async function tell({ store, clock, cast, random, start, end }: Telling): Promise<void> {
  const stats = new StatsCounter({
    store: store.stats,
    clock,
    failed: (error) => {
      throw error;
    },
  });
  const collect = createCollector({
    suppressed: new Set(),
    append: (events) => store.log.append(events),
    findSource: (key) => cast.sources.find(({ writeKey }) => writeKey === key),
    clock,
    rejections: { add: () => undefined, unknownKey: () => undefined },
    meter: {
      accepted: (sourceId, events) => stats.accepted(sourceId, events),
      duplicates: () => undefined,
      rejected: (sourceId) => sourceId !== null && stats.rejected(sourceId),
    },
  });
  const stories = cast.sources.map((source) => ({ source, calls: callsOf(source.type, random.fork(source.name)) }));
  const destinations: PastDestination[] = [];
  for (const destination of cast.destinations) {
    destinations.push(
      await PastDestination.open({
        destination,
        store,
        random: random.fork(destination.name),
        end,
        settled(result) {
          clock.set(result.at);
          stats.settled(result);
        },
      }),
    );
  }

  // It ends when it has caught up with the real time.
  for (let [at, minute] = [start, 0]; at + MINUTE <= Date.now(); at += MINUTE, minute++) {
    const answers = stories.flatMap(({ source, calls }) =>
      batches(eventsIn(at, source, random)).map((size) => {
        clock.set(at + random.int(0, MINUTE - 1));
        return collect({
          kind: 'batch',
          body: Buffer.from(JSON.stringify({ batch: Array.from({ length: size }, () => calls.next().value) })),
          encoding: undefined,
          writeKey: source.writeKey,
          ip: '203.0.113.7',
        });
      }),
    );
    const accepted = new Map<string, number>();
    for (const { sourceId, accepted: events } of await Promise.all(answers)) {
      accepted.set(sourceId, (accepted.get(sourceId) ?? 0) + events);
    }
    await Promise.all(
      destinations.map(async (destination) => {
        await destination.take(accepted);
        await destination.work(at, at + MINUTE);
      }),
    );
    if (minute % FLUSH_EVERY === 0) await stats.flush();
  }
  await stats.flush();
}

/** So many calls in requests of a size that is no more than a client library sends at once. */
function batches(calls: number): number[] {
  const full = Math.floor(calls / BATCH);
  return [...Array.from({ length: full }, () => BATCH), calls - full * BATCH].filter((size) => size > 0);
}
