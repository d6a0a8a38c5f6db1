import type { Sought } from '../../core/carried-ids.ts';
import type { Retry } from '../../core/delivery.ts';
import type { LogEntry } from '../../core/event.ts';
import { weightOf } from '../../core/weight.ts';
import type { EntryPage } from '../../log/contract.ts';
import { type PagedEntry, pageOf } from '../../log/entry-page.ts';
import type { FoundPage } from '../../regulations/contract.ts';
import { urlsIn } from '../relational/message-rows.ts';
import { type MessageSearch, messageSearch } from '../relational/message-search.ts';
import { named, unusable } from './database.ts';
import { entryOf, KEPT, numberOrNull, type Row, textOrNull } from './event-rows.ts';
import type { LaneRow } from './live.ts';
import { messageTables } from './message-tables.ts';
import { PartitionFiles, type ReaderOptions } from './partition-files.ts';
import { type BoundStatement, run } from './statements.ts';
import { addStatsFunctions } from './stats-functions.ts';
import { lookThrough, type Piece, type WantedPiece } from './text-search.ts';
import { findUsers } from './user-search.ts';

/** A message in the retry queue, before its event has been read. */
export interface RetryRow extends Omit<Retry, 'destinationId' | 'entry'> {
  readonly seq: number;
  readonly dueAt: number;
}

/** The source and destination of a lane, as their numbers in partitions. */
type LaneNumbers = Pick<LaneRow, 'source' | 'destination'>;

const IN_LANE = `e.source = ? AND e.seq > ? AND e.seq <= ?
  AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination = ? AND d.seq = e.seq)`;

const LANE_TIMES = `SELECT received_at FROM events e WHERE ${IN_LANE} ORDER BY seq LIMIT ?`;
const KEPT_EVENTS = `SELECT seq, source, received_at, body FROM events WHERE seq > ? AND seq <= ? AND ${KEPT.text}
  ORDER BY seq LIMIT ?`;

const EVENT_COLUMNS = 'seq, source, received_at, age, type, message_id, name, user_id, integrations, unsent, body';
const KEPT_EVENT = `SELECT ${EVENT_COLUMNS} FROM events WHERE seq = ? AND ${KEPT.text}`;
const RETRY_ROWS = `SELECT seq, lane, rounds, first_at, due_at, urls_left, replay FROM deliveries
  WHERE destination = ? AND state = 3 ORDER BY due_at LIMIT ?`;
const LANE_EVENTS = `SELECT ${EVENT_COLUMNS} FROM events e WHERE ${IN_LANE} ORDER BY seq LIMIT ?`;

/** Reads the store, on a thread of its own: no read can delay a commit. */
export class Reader {
  readonly files: PartitionFiles;
  readonly messages: MessageSearch;

  constructor(options: ReaderOptions) {
    this.files = new PartitionFiles(options);
    addStatsFunctions(this.files.live);
    this.messages = messageSearch(messageTables(this.files));
  }

  /**
   * The events that are still in a lane, after one seq and up to another, in order. Events that are settled or in the retry
   * queue have left the lane. At most `max` events, and hardly more than 1 MB.
   */
  readLane({ source, destination }: LaneNumbers, after: number, through: number, max: number): LogEntry[] {
    const entries: LogEntry[] = [];
    let bytes = 0;
    for (const row of this.#rowsAfter(after, max, LANE_EVENTS, source, after, through, destination)) {
      const entry = entryOf(row, this.files.idOf);
      entries.push(entry);
      bytes += weightOf(entry);
      if (bytes > 1_000_000) break;
    }
    return inOneBlock(entries);
  }

  /** The events after a seq and up to another, in order. At most `max` events, and hardly more than 4 MB. */
  scan(after: number, max: number, through: number): EntryPage {
    const entries: PagedEntry[] = [];
    let bytes = 0;
    for (const row of this.#rowsAfter(after, max, KEPT_EVENTS, after, through)) {
      const body = row['body'] as Uint8Array;
      const [position, receivedAt] = [Number(row['seq']), Number(row['received_at'])];
      entries.push({ position, sourceId: this.files.idOf(Number(row['source'])), receivedAt, body });
      bytes += body.byteLength;
      if (bytes > 4_000_000) break;
    }
    return pageOf(entries);
  }

  /** When the first event that `readLane` would return was received; null if there is none. */
  receivedAfter({ source, destination }: LaneNumbers, after: number, through: number): number | null {
    const [first] = this.#rowsAfter(after, 1, LANE_TIMES, source, after, through, destination);
    return first ? Number(first['received_at']) : null;
  }

  /** See DeliveryStore.oldestWaiting. */
  oldestWaiting(destinationIds: readonly string[]): Map<string, number> {
    const lanes = Map.groupBy(
      this.files.live.prepare('SELECT source, destination, position, end_seq FROM lanes').all(),
      (lane) => Number(lane['destination']),
    );
    const oldest = new Map<string, number>();
    for (const id of destinationIds) {
      const destination = this.files.number(id);
      if (destination === null) continue;
      const waiting = (lanes.get(destination) ?? []).map((lane) => {
        const through = lane['end_seq'] ?? Number.MAX_SAFE_INTEGER;
        const numbers = { source: Number(lane['source']), destination };
        return this.receivedAfter(numbers, Number(lane['position']), Number(through));
      });
      const times = [...waiting, this.#oldestRetry(destination)].filter((at) => at !== null);
      if (times.length > 0) oldest.set(id, Math.min(...times));
    }
    return oldest;
  }

  #oldestRetry(destination: number): number | null {
    for (const partition of this.files.partitions) {
      const row = this.files.statement(partition, OLDEST_RETRY).get(destination);
      if (row) return Number(row['received_at']);
    }
    return null;
  }

  /** See Sql.read. */
  read(statement: BoundStatement): object[] {
    return named(this.files.live.location() ?? '', () => run(this.files.live, statement));
  }

  fetch(seqs: readonly number[]): (LogEntry | undefined)[] {
    return seqs.map((seq) => {
      const partition = this.files.at(seq);
      if (!partition) return undefined;
      return named(partition.path, () => {
        const row = this.files.statement(partition, KEPT_EVENT).get(seq);
        return row ? entryOf(row, this.files.idOf) : undefined;
      });
    });
  }

  /** The retry queue of a destination, the earliest due time first: at most `max` rows, due or not, without those in `except`. */
  retryQueue(destinationId: string, max: number, except: readonly number[] = []): RetryRow[] {
    const destination = this.files.number(destinationId);
    if (destination === null) return [];
    const rows: RetryRow[] = [];
    const left = new Set(except);
    for (const partition of this.files.partitions) {
      named(partition.path, () => {
        for (const row of this.files.statement(partition, RETRY_ROWS).iterate(destination, max + left.size)) {
          const seq = Number(row['seq']);
          if (left.has(seq)) continue;
          rows.push({
            seq,
            laneId: Number(row['lane']),
            rounds: Number(row['rounds']),
            firstAt: numberOrNull(row['first_at']),
            dueAt: Number(row['due_at']),
            urlsLeft: urlsIn(textOrNull(row['urls_left'])),
            isReplay: row['replay'] !== null,
          });
        }
      });
    }
    return rows.sort((a, b) => a.dueAt - b.dueAt).slice(0, max);
  }

  /** See Erasure.find. */
  findUsers(sought: Sought, after: number, through: number): FoundPage {
    return findUsers(this.files, sought, after, through);
  }

  /** See text-search.ts. */
  lookThrough(wanted: WantedPiece): Piece {
    return lookThrough(this.files, wanted);
  }

  close(): void {
    this.files.close();
  }

  /** The rows that a statement finds in the partitions that can contain events after a seq; in order, at most `max`. */
  *#rowsAfter(after: number, max: number, sql: string, ...args: readonly number[]): Generator<Row> {
    let left = max;
    for (const partition of this.files.from(after + 1)) {
      if (left === 0) return;
      try {
        for (const row of this.files.statement(partition, sql).iterate(...args, left)) {
          left--;
          yield row;
        }
      } catch (error) {
        throw unusable(partition.path, error);
      }
    }
  }
}

// The state is named twice so that the partial index applies.
const OLDEST_RETRY = `SELECT e.received_at FROM deliveries d JOIN events e ON e.seq = d.seq
  WHERE d.destination = ? AND d.state <> 0 AND d.state = 3 ORDER BY d.seq LIMIT 1`;

/** The same entries with their bodies in one block: it crosses to another thread at the cost of a single body. */
function inOneBlock(entries: readonly LogEntry[]): LogEntry[] {
  const block = new Uint8Array(entries.reduce((sum, { body }) => sum + body.byteLength, 0));
  let end = 0;
  return entries.map((entry) => {
    block.set(entry.body, end);
    const start = end;
    end += entry.body.byteLength;
    return { ...entry, body: block.subarray(start, end) };
  });
}
