import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { memo } from '../../core/bounded-map.ts';
import type { Sought } from '../../core/carried-ids.ts';
import type { Retry } from '../../core/delivery.ts';
import type { LogEntry } from '../../core/event.ts';
import { weightOf } from '../../core/weight.ts';
import type { EntryPage } from '../../log/contract.ts';
import { type PagedEntry, pageOf } from '../../log/entry-page.ts';
import type { FoundPage } from '../../regulations/contract.ts';
import { type MessageSearch, messageSearch } from '../relational/message-search.ts';
import { named, openReadOnly, unusable } from './database.ts';
import { entryOf, KEPT, numberOrNull, type Row } from './event-rows.ts';
import { type LaneRow, livePath } from './live.ts';
import { messageTables } from './message-tables.ts';
import type { PartitionInfo } from './protocol.ts';
import { partitionsFrom, type SearchedFiles } from './searched-files.ts';
import { type BoundStatement, run } from './statements.ts';
import { addStatsFunctions } from './stats-functions.ts';
import { lookThrough, type Piece, type WantedPiece } from './text-search.ts';
import { findUsers } from './user-search.ts';

/** A message in the retry queue, before its event has been read. */
export interface RetryRow extends Omit<Retry, 'destinationId' | 'entry'> {
  readonly seq: number;
  readonly dueAt: number;
}

export interface ReaderOptions {
  readonly dataDir: string;
  readonly partitions: readonly PartitionInfo[];
}

/** The source and destination of a lane, as their numbers in partitions. */
type LaneNumbers = Pick<LaneRow, 'source' | 'destination'>;

const IN_LANE = `e.source = ? AND e.seq > ? AND e.seq <= ?
  AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination = ? AND d.seq = e.seq)`;

/** How many statements stay prepared for each partition. */
const PREPARED = 200;

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
  readonly messages: MessageSearch;
  readonly #live: DatabaseSync;
  readonly #files: SearchedFiles;
  readonly #names = new Map<number, string>();
  readonly #open = new Map<string, OpenPartition>();
  /** Oldest first. */
  #partitions: readonly PartitionInfo[];

  constructor({ dataDir, partitions }: ReaderOptions) {
    this.#partitions = partitions;
    this.#live = openReadOnly(livePath(dataDir));
    addStatsFunctions(this.#live);
    this.#files = {
      partitions: () => this.#partitions,
      statement: (partition, sql) => this.#statement(partition, sql),
      seqAt: (partition, time) => this.#seqAt(partition, time),
      idOf: this.#name,
      fromText: (text) => text,
      number: (name) => this.#number(name),
      partitionAt: (seq) => this.#partitions.findLast(({ firstSeq }) => firstSeq <= seq),
      destinations: () => this.#destinations(),
    };
    this.messages = messageSearch(messageTables(this.#files));
  }

  /** Sets which partitions exist. Closes the files of all others. */
  usePartitions(partitions: readonly PartitionInfo[]): void {
    this.#partitions = partitions;
    for (const [path, open] of this.#open) {
      if (partitions.some((partition) => partition.path === path)) continue;
      open.db.close();
      this.#open.delete(path);
    }
  }

  /**
   * The events that are still in a lane, after one seq and up to another, in order. Events that are settled or in the retry
   * queue have left the lane. At most `max` events, and hardly more than 1 MB.
   */
  readLane({ source, destination }: LaneNumbers, after: number, through: number, max: number): LogEntry[] {
    const entries: LogEntry[] = [];
    let bytes = 0;
    for (const row of this.#rowsAfter(after, max, LANE_EVENTS, source, after, through, destination)) {
      const entry = entryOf(row, this.#name);
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
      entries.push({ position, sourceId: this.#name(Number(row['source'])), receivedAt, body });
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
      this.#live.prepare('SELECT source, destination, position, end_seq FROM lanes').all(),
      (lane) => Number(lane['destination']),
    );
    const oldest = new Map<string, number>();
    for (const id of destinationIds) {
      const destination = this.#number(id);
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
    for (const partition of this.#partitions) {
      const row = this.#statement(partition, OLDEST_RETRY).get(destination);
      if (row) return Number(row['received_at']);
    }
    return null;
  }

  /** See Sql.read. */
  read(statement: BoundStatement): object[] {
    return named(this.#live.location() ?? '', () => run(this.#live, statement));
  }

  fetch(seqs: readonly number[]): (LogEntry | undefined)[] {
    return seqs.map((seq) => {
      const partition = this.#partitions.findLast(({ firstSeq }) => firstSeq <= seq);
      if (!partition) return undefined;
      return named(partition.path, () => {
        const row = this.#statement(partition, KEPT_EVENT).get(seq);
        return row ? entryOf(row, this.#name) : undefined;
      });
    });
  }

  /** The retry queue of a destination, the earliest due time first: at most `max` rows, due or not, without those in `except`. */
  retryQueue(destinationId: string, max: number, except: readonly number[] = []): RetryRow[] {
    const destination = this.#number(destinationId);
    if (destination === null) return [];
    const rows: RetryRow[] = [];
    const left = new Set(except);
    for (const partition of this.#partitions) {
      named(partition.path, () => {
        for (const row of this.#statement(partition, RETRY_ROWS).iterate(destination, max + left.size)) {
          const seq = Number(row['seq']);
          if (left.has(seq)) continue;
          rows.push({
            seq,
            laneId: Number(row['lane']),
            rounds: Number(row['rounds']),
            firstAt: numberOrNull(row['first_at']),
            dueAt: Number(row['due_at']),
            urlsLeft: row['urls_left'] === null ? null : (JSON.parse(String(row['urls_left'])) as string[]),
            isReplay: row['replay'] !== null,
          });
        }
      });
    }
    return rows.sort((a, b) => a.dueAt - b.dueAt).slice(0, max);
  }

  /** See Erasure.find. */
  findUsers(sought: Sought, after: number, through: number): FoundPage {
    return findUsers(this.#files, sought, after, through);
  }

  /** See text-search.ts. */
  lookThrough(wanted: WantedPiece): Piece {
    return lookThrough(this.#files, wanted);
  }

  close(): void {
    for (const { db } of this.#open.values()) db.close();
    this.#live.close();
  }

  /** The rows that a statement finds in the partitions that can contain events after a seq; in order, at most `max`. */
  *#rowsAfter(after: number, max: number, sql: string, ...args: readonly number[]): Generator<Row> {
    let left = max;
    for (const partition of partitionsFrom(this.#partitions, after + 1)) {
      if (left === 0) return;
      try {
        for (const row of this.#statement(partition, sql).iterate(...args, left)) {
          left--;
          yield row;
        }
      } catch (error) {
        throw unusable(partition.path, error);
      }
    }
  }

  #statement({ path }: PartitionInfo, sql: string): StatementSync {
    let open = this.#open.get(path);
    if (!open) {
      const db = openReadOnly(path);
      open = { db, prepared: memo(PREPARED, (text) => db.prepare(text)) };
      this.#open.set(path, open);
    }
    return open.prepared(sql);
  }

  /** The first seq of a partition received at a time or later, by bisection; the last seq plus one if there is none. */
  #seqAt(partition: PartitionInfo, time: number): number {
    const last = this.#statement(partition, 'SELECT max(seq) AS seq FROM events').get();
    const receivedAt = this.#statement(partition, 'SELECT received_at FROM events WHERE seq = ?');
    let low = partition.firstSeq;
    let high = Number(last?.['seq'] ?? partition.firstSeq - 1) + 1;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (Number(receivedAt.get(middle)?.['received_at']) >= time) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #destinations(): number[] {
    const rows = this.#live.prepare('SELECT DISTINCT destination FROM lanes').all();
    return rows.map((row) => Number(row['destination']));
  }

  readonly #name = (number: number): string => {
    const known = this.#names.get(number);
    if (known !== undefined) return known;
    const name = String(this.#live.prepare('SELECT name FROM names WHERE number = ?').get(number)?.['name']);
    this.#names.set(number, name);
    return name;
  };

  #number(name: string): number | null {
    return numberOrNull(this.#live.prepare('SELECT number FROM names WHERE name = ?').get(name)?.['number'] ?? null);
  }
}

interface OpenPartition {
  readonly db: DatabaseSync;
  readonly prepared: (text: string) => StatementSync;
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
