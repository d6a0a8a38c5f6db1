import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogEntry } from '../../core/event.ts';
import { PEOPLE } from '../../core/lane.ts';
import type { RejectionGroup } from '../../core/rejection.ts';
import type {
  CandidatePage,
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliveryStateOf,
  EventPage,
  EventQuery,
  ReplayCandidate,
  ReplayQuery,
  StatsQuery,
  StatsSums,
} from '../../record/contract.ts';
import type { FoundPage } from '../../regulations/contract.ts';
import { AccountReads } from './account-reads.ts';
import { readAttempts, SELECT_ANSWERS } from './answers.ts';
import { openReadOnly } from './database.ts';
import {
  DISORDER,
  isWithin,
  matchesNames,
  numberOrNull,
  ROWS_PER_PAGE,
  type Row,
  SUMMARY_COLUMNS,
  summaryOf,
  textOrNull,
  typeOf,
} from './event-rows.ts';
import { EventSearch, type SearchedFiles, statesOf } from './event-search.ts';
import { livePath } from './live.ts';
import { STATES } from './partition.ts';
import type { PartitionInfo } from './protocol.ts';
import { RegulationReads } from './regulation-reads.ts';
import { readRejections } from './rejection-table.ts';
import { StatsReader } from './stats-reader.ts';
import { findUsers } from './user-search.ts';

/** A message on the shelf, before its event is read. */
export interface ShelfRow {
  readonly seq: number;
  readonly lane: number;
  readonly rounds: number;
  readonly firstAt: number | null;
  readonly dueAt: number;
  readonly urlsLeft: readonly string[] | null;
}

/** A lane as partitions number its ends. */
export interface LaneNumbers {
  readonly source: number;
  readonly destination: number;
}

const IN_LANE = `e.source = ? AND e.seq > ? AND e.seq <= ?
  AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.destination = ? AND d.seq = e.seq)`;

/** An event that was removed has no body. */
const KEPT = 'length(body) > 0';

const EVENT_COLUMNS = 'seq, source, received_at, age, type, message_id, name, user_id, integrations, unsent, body';

/** Reads of the store, on a thread of their own: nothing here can hold up a commit. */
export class Reader {
  readonly accounts: AccountReads;
  readonly regulations: RegulationReads;
  readonly #live: DatabaseSync;
  readonly #files: SearchedFiles;
  readonly #events: EventSearch;
  readonly #stats: StatsReader;
  readonly #names = new Map<number, string>();
  readonly #open = new Map<string, OpenPartition>();
  /** Oldest first. */
  #partitions: readonly PartitionInfo[] = [];

  constructor(dataDir: string) {
    this.#live = openReadOnly(livePath(dataDir));
    this.#files = {
      partitions: () => this.#partitions,
      statement: (partition, sql) => this.#statement(partition, sql),
      seqAt: (partition, time) => this.#seqAt(partition, time),
      name: (number) => this.#name(number),
      number: (name) => this.#number(name),
    };
    this.#events = new EventSearch(this.#files);
    this.accounts = new AccountReads(this.#live);
    this.regulations = new RegulationReads(this.#live);
    this.#stats = new StatsReader(this.#live, (name) => this.#number(name));
  }

  /** Tells which files there are now. */
  usePartitions(partitions: readonly PartitionInfo[]): void {
    this.#partitions = partitions;
    for (const [path, open] of this.#open) {
      if (partitions.some((partition) => partition.path === path)) continue;
      open.db.close();
      this.#open.delete(path);
    }
  }

  /**
   * Events of a lane after a seq and up to another, in order, without those that have left it: settled or on the shelf. At
   * most `max` of them and hardly more than 1 MB.
   */
  readLane({ source, destination }: LaneNumbers, after: number, through: number, max: number): LogEntry[] {
    const entries: LogEntry[] = [];
    let bytes = 0;
    for (const partition of this.#from(after + 1)) {
      const statement = this.#statement(
        partition,
        `SELECT ${EVENT_COLUMNS} FROM events e WHERE ${IN_LANE} ORDER BY seq LIMIT ?`,
      );
      for (const row of statement.iterate(source, after, through, destination, max - entries.length)) {
        const entry = this.#entry(row);
        entries.push(entry);
        bytes += entry.body.byteLength;
        if (bytes > 1_000_000) return inOneBlock(entries);
      }
      if (entries.length >= max) break;
    }
    return inOneBlock(entries);
  }

  /** Events after a seq, in order: at most `max` of them and hardly more than 1 MB. */
  scan(after: number, max: number): LogEntry[] {
    const entries: LogEntry[] = [];
    let bytes = 0;
    for (const partition of this.#from(after + 1)) {
      const statement = this.#statement(
        partition,
        `SELECT ${EVENT_COLUMNS} FROM events WHERE seq > ? AND ${KEPT} ORDER BY seq LIMIT ?`,
      );
      for (const row of statement.iterate(after, max - entries.length)) {
        const entry = this.#entry(row);
        entries.push(entry);
        bytes += entry.body.byteLength;
        if (bytes > 1_000_000) return inOneBlock(entries);
      }
      if (entries.length >= max) break;
    }
    return inOneBlock(entries);
  }

  /** How many events `readLane` would answer; the index tells, without reading them. */
  countLane({ source, destination }: LaneNumbers, after: number, through: number): number {
    let count = 0;
    for (const partition of this.#from(after + 1)) {
      const row = this.#statement(partition, `SELECT count(*) AS events FROM events e WHERE ${IN_LANE}`).get(
        source,
        after,
        through,
        destination,
      );
      count += Number(row?.['events']);
    }
    return count;
  }

  /** When the first event that `readLane` would answer was received; null when there is none. */
  receivedAfter({ source, destination }: LaneNumbers, after: number, through: number): number | null {
    for (const partition of this.#from(after + 1)) {
      const row = this.#statement(
        partition,
        `SELECT received_at FROM events e WHERE ${IN_LANE} ORDER BY seq LIMIT 1`,
      ).get(source, after, through, destination);
      if (row) return Number(row['received_at']);
    }
    return null;
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
      const times = [...waiting, this.#oldestShelved(destination)].filter((at) => at !== null);
      if (times.length > 0) oldest.set(id, Math.min(...times));
    }
    return oldest;
  }

  #oldestShelved(destination: number): number | null {
    for (const partition of this.#partitions) {
      const row = this.#statement(partition, OLDEST_SHELVED).get(destination);
      if (row) return Number(row['received_at']);
    }
    return null;
  }

  /** See RejectionStore.groups. */
  rejections(sourceId: string | null): RejectionGroup[] {
    return readRejections(this.#live, sourceId);
  }

  statsSeries(query: StatsQuery): StatsSums[] {
    return this.#stats.series(query);
  }

  statsTotals(subjects: readonly string[], from: number, to: number): Map<string, StatsSums> {
    return this.#stats.totals(subjects, from, to);
  }

  statsLastAt(subjects: readonly string[]): Map<string, number> {
    return this.#stats.lastAt(subjects);
  }

  fetch(seqs: readonly number[]): (LogEntry | undefined)[] {
    return seqs.map((seq) => {
      const partition = this.#partitions.findLast(({ firstSeq }) => firstSeq <= seq);
      if (!partition) return undefined;
      const row = this.#statement(partition, `SELECT ${EVENT_COLUMNS} FROM events WHERE seq = ? AND ${KEPT}`).get(seq);
      return row ? this.#entry(row) : undefined;
    });
  }

  /** The shelf of a destination, longest due first: at most `max` rows, whether due yet or not. */
  shelf(destinationId: string, max: number): ShelfRow[] {
    const destination = this.#number(destinationId);
    if (destination === null) return [];
    const rows: ShelfRow[] = [];
    for (const partition of this.#partitions) {
      const statement = this.#statement(
        partition,
        'SELECT seq, lane, rounds, first_at, due_at, urls_left FROM deliveries WHERE destination = ? AND state = 3 ORDER BY due_at LIMIT ?',
      );
      for (const row of statement.iterate(destination, max)) {
        rows.push({
          seq: Number(row['seq']),
          lane: Number(row['lane']),
          rounds: Number(row['rounds']),
          firstAt: numberOrNull(row['first_at']),
          dueAt: Number(row['due_at']),
          urlsLeft: row['urls_left'] === null ? null : (JSON.parse(String(row['urls_left'])) as string[]),
        });
      }
    }
    return rows.sort((a, b) => a.dueAt - b.dueAt).slice(0, max);
  }

  /** See DeliveryStore.list. Ordered by (seq, destination), descending; the cursor is the last pair that was looked at. */
  list(query: DeliveryQuery): DeliveryPage {
    const start = query.cursor === null ? { seq: Infinity, destination: 0 } : parseCursor(query.cursor);
    const destinations = query.destinationId === null ? this.#destinations() : [this.#number(query.destinationId)];
    const found: { row: Row; at: Cursor }[] = [];
    // Everything from here on up has been looked at, in every destination.
    let looked: Cursor | null = null;
    for (const destination of destinations) {
      if (destination === null) continue;
      const before = destination < start.destination ? start.seq + 1 : start.seq;
      const rows = ROWS_PER_PAGE / destinations.length;
      const { matches, stoppedAt } = this.#search(destination, before, query, rows);
      for (const row of matches) found.push({ row, at: { seq: Number(row['seq']), destination } });
      if (stoppedAt !== null && stoppedAt > (looked?.seq ?? -1)) looked = { seq: stoppedAt, destination: 0 };
    }
    const reached = looked?.seq ?? 0;
    const complete = found.filter(({ at }) => at.seq >= reached);
    complete.sort((a, b) => b.at.seq - a.at.seq || b.at.destination - a.at.destination);
    const page = complete.slice(0, query.limit);
    const next = complete.length > query.limit ? (page.at(-1)?.at ?? null) : looked;
    return { items: page.map(({ row }) => this.#delivery(row)), next: next && `${next.seq}-${next.destination}` };
  }

  /** See Erasure.find. */
  findUsers(userIds: readonly string[], after: number, through: number): FoundPage {
    return findUsers(this.#files, userIds, after, through);
  }

  /** See DeliveryStore.events. `seqs` are those of the query's messageId; null when it names none. */
  events(query: EventQuery, seqs: readonly number[] | null): EventPage {
    return seqs === null ? this.#events.search(query) : this.#events.among(seqs, query);
  }

  deliveriesOf(seq: number): Delivery[] {
    const partition = this.#partitions.findLast(({ firstSeq }) => firstSeq <= seq);
    if (!partition) return [];
    // No index leads from an event to its deliveries: their key begins with the destination, and there are few of those.
    const statement = this.#statement(partition, `${DELIVERIES} WHERE d.destination = ? AND d.seq = ?`);
    return this.#destinations().flatMap((destination) => {
      const found = statement.get(destination, seq);
      return found ? [this.#delivery(found)] : [];
    });
  }

  /** See DeliveryStore.statesOf. */
  statesOf(seqs: readonly number[]): DeliveryStateOf[] {
    return statesOf(this.#files, this.#destinations(), seqs);
  }

  /** See DeliveryStore.candidates. */
  candidates(query: ReplayQuery): CandidatePage {
    const destination = this.#number(query.destinationId);
    const sources = new Set(query.sourceIds.map((id) => this.#number(id)));
    const items: ReplayCandidate[] = [];
    let looked = 0;
    for (const partition of this.#from(query.after + 1)) {
      if (query.to !== null && partition.startedAt >= query.to + DISORDER) break;
      const begin = query.from === null ? 0 : this.#seqAt(partition, query.from - DISORDER);
      const after = Math.max(query.after, begin - 1);
      const rows =
        query.state === 'failed'
          ? this.#statement(partition, FAILED_EVENTS).iterate(destination, after)
          : this.#statement(partition, EVENTS_AFTER).iterate(after);
      for (const row of rows) {
        const receivedAt = Number(row['received_at']);
        if (query.to !== null && receivedAt >= query.to + DISORDER) break;
        looked++;
        if (isWithin(row, query) && sources.has(Number(row['source'])) && matchesNames(row, query)) {
          items.push(summaryOf(row, (number) => this.#name(number)));
        }
        if (items.length >= query.limit || looked >= ROWS_PER_PAGE) return { items, next: Number(row['seq']) };
      }
    }
    return { items, next: null };
  }

  close(): void {
    for (const { db } of this.#open.values()) db.close();
    this.#live.close();
  }

  /** The partitions that can hold this seq or later ones, oldest first. */
  #from(seq: number): readonly PartitionInfo[] {
    const first = this.#partitions.findLastIndex(({ firstSeq }) => firstSeq <= seq);
    return this.#partitions.slice(Math.max(0, first));
  }

  #use(partition: PartitionInfo): OpenPartition {
    let open = this.#open.get(partition.path);
    if (!open) {
      open = { db: openReadOnly(partition.path), statements: new Map() };
      this.#open.set(partition.path, open);
    }
    return open;
  }

  #statement(partition: PartitionInfo, sql: string): StatementSync {
    const open = this.#use(partition);
    let statement = open.statements.get(sql);
    if (!statement) {
      statement = open.db.prepare(sql);
      open.statements.set(sql, statement);
    }
    return statement;
  }

  /** Deliveries of one destination before a seq, newest first, until the page is full or enough rows were looked at. */
  #search(
    destination: number,
    before: number,
    query: DeliveryQuery,
    maxRows: number,
  ): { matches: Row[]; stoppedAt: number | null } {
    const matches: Row[] = [];
    let looked = 0;
    for (const partition of [...this.#partitions].reverse()) {
      if (partition.firstSeq >= before || (query.to !== null && partition.startedAt >= query.to + DISORDER)) continue;
      const end = query.to === null ? before : Math.min(before, this.#seqAt(partition, query.to + DISORDER));
      const begin = query.from === null ? 0 : this.#seqAt(partition, query.from - DISORDER);
      // Naming the state twice lets the partial index serve it. No index serves processed: what is not is left out below,
      // where each row that is looked at counts, not by SQLite, which would go on until it finds one.
      const isIndexed = query.state !== null && query.state !== 'processed';
      const state = isIndexed ? 'd.state <> 0 AND d.state = ? AND' : '';
      const args = [begin, ...(isIndexed && query.state ? [STATES.indexOf(query.state)] : []), destination];
      const statement = this.#statement(
        partition,
        `${DELIVERIES} WHERE d.seq >= ? AND ${state} d.destination = ? AND d.seq < ? ORDER BY d.seq DESC`,
      );
      for (const row of statement.iterate(...args, Math.min(end, Number.MAX_SAFE_INTEGER))) {
        looked++;
        const isWanted = query.state === null || row['state'] === STATES.indexOf(query.state);
        if (isWanted && isWithin(row, query) && matchesNames(row, query)) matches.push(row);
        if (matches.length > query.limit || looked >= maxRows) return { matches, stoppedAt: Number(row['seq']) };
      }
      if (query.from !== null && partition.startedAt < query.from - DISORDER) break;
    }
    return { matches, stoppedAt: null };
  }

  /** The first seq of a partition received at a time or later, by bisection; one past the last where there is none. */
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

  /** Those that are delivered to: people/ has rows for removed events only, which are no deliveries. */
  #destinations(): number[] {
    const people = this.#number(PEOPLE);
    const rows = this.#live.prepare('SELECT DISTINCT destination FROM lanes').all();
    return rows.map((row) => Number(row['destination'])).filter((destination) => destination !== people);
  }

  #entry(row: Row): LogEntry {
    return {
      position: Number(row['seq']),
      sourceId: this.#name(Number(row['source'])),
      messageId: String(row['message_id']),
      type: typeOf(row),
      name: textOrNull(row['name']),
      userId: textOrNull(row['user_id']),
      receivedAt: Number(row['received_at']),
      timestamp: Number(row['received_at']) - Number(row['age']),
      integrations: textOrNull(row['integrations']),
      unsent: textOrNull(row['unsent']),
      body: row['body'] as Uint8Array,
    };
  }

  #delivery(row: Row): Delivery {
    const partition = this.#partitions.findLast(({ firstSeq }) => firstSeq <= Number(row['seq']));
    const answers = partition && this.#statement(partition, SELECT_ANSWERS);
    return {
      destinationId: this.#name(Number(row['destination'])),
      position: Number(row['seq']),
      sourceId: this.#name(Number(row['source'])),
      messageId: String(row['message_id']),
      type: typeOf(row),
      event: textOrNull(row['name']),
      userId: textOrNull(row['user_id']),
      receivedAt: Number(row['received_at']),
      state: STATES[Number(row['state'])] ?? 'failed',
      reason: textOrNull(row['reason']),
      attempts: answers ? readAttempts(String(row['attempts']), answers) : [],
      rounds: Number(row['rounds']),
      dueAt: numberOrNull(row['due_at']),
      at: Number(row['at']),
    };
  }

  #name(number: number): string {
    const known = this.#names.get(number);
    if (known !== undefined) return known;
    const name = String(this.#live.prepare('SELECT name FROM names WHERE number = ?').get(number)?.['name']);
    this.#names.set(number, name);
    return name;
  }

  #number(name: string): number | null {
    return numberOrNull(this.#live.prepare('SELECT number FROM names WHERE name = ?').get(name)?.['number'] ?? null);
  }
}

interface OpenPartition {
  readonly db: DatabaseSync;
  readonly statements: Map<string, StatementSync>;
}

interface Cursor {
  readonly seq: number;
  readonly destination: number;
}

const DELIVERIES = `SELECT d.destination, d.seq, d.state, d.reason, d.attempts, d.rounds, d.due_at, d.at,
  e.source, e.message_id, e.type, e.name, e.user_id, e.received_at FROM deliveries d JOIN events e ON e.seq = d.seq`;

const EVENTS_AFTER = `SELECT ${SUMMARY_COLUMNS} FROM events e WHERE e.seq > ? AND ${KEPT} ORDER BY e.seq`;

const FAILED_EVENTS = `SELECT ${SUMMARY_COLUMNS} FROM deliveries d JOIN events e ON e.seq = d.seq
  WHERE d.destination = ? AND d.state <> 0 AND d.state = 1 AND d.seq > ? AND ${KEPT} ORDER BY d.seq`;

// Naming the state twice lets the partial index serve it.
const OLDEST_SHELVED = `SELECT e.received_at FROM deliveries d JOIN events e ON e.seq = d.seq
  WHERE d.destination = ? AND d.state <> 0 AND d.state = 3 ORDER BY d.seq LIMIT 1`;

/** The same entries with their bodies in one block, which crosses to another thread at the cost of one. */
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

function parseCursor(text: string): Cursor {
  const [seq, destination] = text.split('-').map(Number);
  return { seq: seq ?? 0, destination: destination ?? 0 };
}
