import type { DeliveryResult, DeliveryState } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import type { Event, LogEntry, Position } from '../../packages/server/src/core/event.ts';
import type { Lane } from '../../packages/server/src/core/lane.ts';
import type { Source } from '../../packages/server/src/core/source.ts';
import { RetryRows } from './retry-rows.ts';

/** What is recorded of one event in one lane. */
export interface Row {
  readonly laneId: number;
  readonly entry: LogEntry;
  readonly state: DeliveryState;
  readonly reason: string | null;
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly dueAt: number | null;
  readonly urlsLeft: readonly string[] | null;
  /** When it was decided, milliseconds since the epoch. */
  readonly at: number;
}

export interface LaneOnDisk {
  readonly lane: Lane;
  /** What need not be handed out again, as far as it was saved. */
  readonly acked: Set<Position>;
}

/** What is durable, and so outlives every crash: nothing here is ever lost, nothing anywhere else is kept. */
export class Disk {
  /** In the order of acceptance; an entry's position is its index and one. */
  readonly entries: LogEntry[] = [];
  readonly bySource: Map<string, LogEntry[]> = new Map();
  readonly lanes: Map<number, LaneOnDisk> = new Map();
  readonly sources: Map<string, Source> = new Map();
  readonly destinations: Map<string, Destination> = new Map();
  /** Positions of events that were removed. */
  readonly erased: Set<Position> = new Set();
  readonly #rows = new Map<string, Map<Position, Row>>();
  readonly #retryQueues = new Map<string, RetryRows<Row>>();
  #lanesOpened = 0;

  append(event: Event): LogEntry {
    const entry: LogEntry = { position: this.entries.length + 1, ...event };
    this.entries.push(entry);
    this.ofSource(event.sourceId).push(entry);
    return entry;
  }

  ofSource(sourceId: string): LogEntry[] {
    const entries = this.bySource.get(sourceId) ?? [];
    this.bySource.set(sourceId, entries);
    return entries;
  }

  rows(destinationId: string): Map<Position, Row> {
    const rows = this.#rows.get(destinationId) ?? new Map<Position, Row>();
    this.#rows.set(destinationId, rows);
    return rows;
  }

  /** The rows that are retrying. */
  retryQueue(destinationId: string): RetryRows<Row> {
    const retryQueue = this.#retryQueues.get(destinationId) ?? new RetryRows<Row>();
    this.#retryQueues.set(destinationId, retryQueue);
    return retryQueue;
  }

  /** Records what became of an event (record/contract.ts): the first end counts, a round counts once. Answers the row before. */
  settle(result: DeliveryResult): { before: Row | undefined; changed: boolean } {
    const { destinationId, entry, state, reason, rounds, firstAt, dueAt, urlsLeft, at } = result;
    const rows = this.rows(destinationId);
    const before = rows.get(entry.position);
    if (before && (before.state !== 'retrying' || (state === 'retrying' && before.rounds >= rounds))) {
      return { before, changed: false };
    }
    const laneId = before?.laneId ?? result.laneId;
    const row: Row = { laneId, entry, state, reason, rounds, firstAt, dueAt, urlsLeft, at };
    rows.set(entry.position, row);
    if (state === 'retrying') this.retryQueue(destinationId).set(row);
    else this.retryQueue(destinationId).delete(entry.position);
    return { before, changed: true };
  }

  /** Makes a row of the retry queue due. */
  hasten(destinationId: string, position: Position, row: Row, dueAt: number): void {
    this.rows(destinationId).set(position, { ...row, dueAt });
    this.retryQueue(destinationId).set({ ...row, dueAt });
  }

  /** Removes an event (regulations/contract.ts): where it still waited, it ends as filtered. Answers these destinations. */
  erase(entry: LogEntry, now: number): readonly string[] {
    this.erased.add(entry.position);
    const waiting = new Map<string, number>();
    for (const { lane } of this.lanes.values()) {
      if (this.entriesOf(lane).includes(entry)) waiting.set(lane.destinationId, lane.id);
    }
    for (const [destinationId, retryQueue] of this.#retryQueues) {
      const row = retryQueue.get(entry.position);
      if (row) waiting.set(destinationId, row.laneId);
    }
    const end = { entry, state: 'filtered', reason: 'user_deleted', attempts: [], at: now } as const;
    const rest = { rounds: 0, firstAt: null, dueAt: null, urlsLeft: null };
    return [...waiting].flatMap(([destinationId, laneId]) =>
      this.settle({ laneId, destinationId, ...end, ...rest }).changed ? [destinationId] : [],
    );
  }

  openLane(sourceId: string, destinationId: string): Lane {
    for (const { lane } of this.lanes.values()) {
      if (lane.until === null && lane.sourceId === sourceId && lane.destinationId === destinationId) return lane;
    }
    const lane: Lane = { id: ++this.#lanesOpened, sourceId, destinationId, after: this.entries.length, until: null };
    this.lanes.set(lane.id, { lane, acked: new Set() });
    return lane;
  }

  endLane(id: number): void {
    const known = this.lanes.get(id);
    if (known?.lane.until !== null) return;
    this.lanes.set(id, { ...known, lane: { ...known.lane, until: this.entries.length } });
  }

  /** Every entry that is a lane's, in any state. */
  entriesOf({ sourceId, after, until }: Lane): LogEntry[] {
    return this.ofSource(sourceId).filter(({ position }) => position > after && position <= (until ?? Infinity));
  }
}
