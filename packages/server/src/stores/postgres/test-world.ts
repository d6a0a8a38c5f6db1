import type { Postgres } from '../../../../../test/cluster/postgres.ts';
import { withCurrent } from '../../../../../test/current.ts';
import { HandClock } from '../../../../../test/hand-clock.ts';
import type { AccountWorld } from '../../accounts/conformance.ts';
import type { AlertWorld } from '../../alerts/conformance.ts';
import { type LogEntry, type NewEvent, ownerOf, type Position } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import type { EntryPage, EventLog, LaneReader } from '../../log/contract.ts';
import { pageOf } from '../../log/entry-page.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { RecordWorld } from '../../record/conformance.ts';
import type { RejectionStore, Retention, StatsStore } from '../../record/contract.ts';
import type { RegulationStore } from '../../regulations/contract.ts';
import type { SettingsWorld } from '../../settings/conformance.ts';
import type { PostgresDeliveries } from './delivery-store.ts';
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './store.ts';

/** The store in a database of its own, with a clock that tests move, and a stream in memory. */
export interface PostgresWorld extends RecordWorld, SettingsWorld, AccountWorld, AlertWorld {
  readonly url: string;
  readonly store: PostgresStore;
  readonly deliveries: PostgresDeliveries;
  readonly stats: StatsStore;
  readonly rejections: RejectionStore;
  readonly retention: Retention;
  readonly regulations: RegulationStore;
  readonly clock: HandClock;
  advance(ms: number): void;
}

export async function openWorld(
  postgres: Postgres,
  options: Partial<PostgresStoreOptions> = {},
): Promise<PostgresWorld> {
  const url = await postgres.migratedDatabase();
  const clock = new HandClock();
  const stream: LogEntry[] = [];
  const open = async () => {
    const store = await openPostgresStore({
      ...{ url, clock, failed: () => undefined },
      ...options,
    });
    const log = new IndexedLog(stream, store.index);
    return { ...store, store, log, deliveries: store.deliveries(log) };
  };
  let current = await open();
  const names = [
    'store',
    'log',
    'deliveries',
    'rejections',
    'stats',
    'settings',
    'alerts',
    'accounts',
    'regulations',
    'retention',
  ] as const;
  const world: PostgresWorld = withCurrent(() => current, names, {
    url,
    clock,
    now: () => clock.now(),
    advance: (ms) => clock.advance(ms),
    async reopen() {
      await current.store.close();
      current = await open();
    },
    close: () => current.store.close(),
  });
  return world;
}

/** The part of a log that tests of the records use: a stream in memory. Every append also updates its index. */
class IndexedLog implements EventLog {
  readonly #stream: LogEntry[];
  readonly #index: StreamIndex;

  constructor(stream: LogEntry[], index: StreamIndex) {
    this.#stream = stream;
    this.#index = index;
  }

  async append(events: readonly NewEvent[]): Promise<{ duplicates: number[] }> {
    const duplicates: number[] = [];
    for (const [i, event] of events.entries()) {
      const known = await this.#index.known(
        event.sourceId,
        [{ ...event, owner: ownerOf(event) }],
        Number.MIN_SAFE_INTEGER,
      );
      const entry = { ...event, position: this.#end + 1 };
      if (known.places.size > 0) duplicates.push(i);
      else this.#stream.push(entry);
      await this.#index.add(0, known.places.size > 0 ? [] : [entry], this.#end, []);
    }
    return { duplicates };
  }

  openLane(sourceId: string, destinationId: string): Promise<Lane> {
    return this.#index.openLane(sourceId, destinationId, this.#end);
  }

  endLane(id: number): Promise<void> {
    return this.#index.endLane(id, this.#end);
  }

  removeLane(id: number): Promise<void> {
    return this.#index.removeLane(id);
  }

  lanes(): Promise<readonly Lane[]> {
    return this.#index.lanes();
  }

  read(id: number): LaneReader {
    return {
      pull: async (max) => {
        const lane = (await this.lanes()).find((each) => each.id === id);
        const all = this.#stream.filter(
          ({ sourceId, position }) => sourceId === lane?.sourceId && position > lane.after,
        );
        const taken = await this.#index.taken(
          id,
          all.map(({ position }) => position),
        );
        return all.filter(({ position }) => !taken.has(position)).slice(0, max);
      },
      ack: () => undefined,
    };
  }

  /** An event that the index has dropped is gone. */
  async fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]> {
    return Promise.all(
      positions.map(async (position) => {
        const entry = this.#stream.find((each) => each.position === position);
        return entry && (await this.find(entry.messageId, [entry.sourceId]));
      }),
    );
  }

  async find(messageId: string, sourceIds: readonly string[]): Promise<LogEntry | undefined> {
    const found = await this.#index.find(messageId, sourceIds);
    return this.#stream.find(({ position }) => position === found);
  }

  /** Resolves at once: every append updates the index. */
  async indexed(): Promise<void> {}

  totals(): ReturnType<EventLog['totals']> {
    return this.#index.totals();
  }

  async follow(): Promise<never> {
    throw new Error('The records follow nothing.');
  }

  async search(): Promise<never> {
    throw new Error('The records look for no text.');
  }

  async scan(): Promise<EntryPage> {
    return pageOf(this.#stream);
  }

  async nextAppend(): Promise<never> {
    throw new Error('The records wait for nothing.');
  }

  countAfter(after: Position, through: Position): Promise<number> {
    return this.#index.countAfter(after, through);
  }

  get #end(): Position {
    return this.#stream.at(-1)?.position ?? 0;
  }
}
