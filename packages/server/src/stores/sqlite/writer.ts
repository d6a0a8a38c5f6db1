import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { Lane } from '../../core/lane.ts';
import { type Counts, noCounts, sumCounts } from './counts.ts';
import { lockFolder, transaction } from './database.ts';
import { type Hash, hashId } from './hash.ts';
import { Ids } from './ids.ts';
import { type LaneRow, Live } from './live.ts';
import { Partition, parsePartitionFile, partitionPath, RETRYING, removePartition, type Totals } from './partition.ts';
import type {
  AppendColumns,
  CommitRequest,
  CommitResult,
  PartitionInfo,
  SettlementColumns,
  StoreError,
} from './protocol.ts';

export interface WriterOptions {
  readonly dataDir: string;
  /** How long one partition takes events, milliseconds. */
  readonly partitionLength: number;
  /** How long a messageId is remembered, milliseconds. */
  readonly dedupeWindow: number;
}

/** Counts of one lane as the writer knows them at one moment. */
export interface LaneTally extends Counts {
  readonly lane: number;
  readonly source: string;
  readonly accepted: number;
}

/** A lane with what a reader of it must know. */
export interface LaneState extends Lane {
  readonly source: number;
  readonly destination: number;
  readonly position: number;
}

/** The one writer of the store, on a thread of its own: whatever changes a file passes through here, one at a time. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #lock: DatabaseSync;
  readonly #live: Live;
  readonly #ids = new Ids();
  /** Oldest first; the last one takes the events. */
  readonly #partitions: Partition[] = [];
  readonly #totals: Map<number, Totals>;
  #nextSeq: number;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#lock = lockFolder(options.dataDir);
    this.#live = new Live(options.dataDir);
    for (const file of this.#live.droppedPartitions()) this.#remove(file);
    for (const file of listPartitions(options.dataDir)) {
      const partition = new Partition(file);
      this.#partitions.push(partition);
      this.#ids.load(partition);
    }
    const last = this.#partitions.at(-1);
    this.#totals = last?.loadTotals() ?? new Map();
    this.#nextSeq = last ? last.lastSeq() + 1 : 1;
  }

  partitions(): PartitionInfo[] {
    return this.#partitions.map(({ path, startedAt, firstSeq }) => ({ path, startedAt, firstSeq }));
  }

  /** Seq of the newest event; 0 before the first. */
  lastSeq(): number {
    return this.#nextSeq - 1;
  }

  /**
   * Commits appends and settlements together where they fall in one partition, and synced in any case. Where that fails
   * the settlements are tried once more without the appends, which need far more room.
   */
  commit(request: CommitRequest): CommitResult {
    const { appends, settlements, positions, now } = request;
    let partitions: PartitionInfo[] | null = null;
    let appendError: StoreError | null = null;
    let settleError: StoreError | null = null;
    let firstSeq = this.#nextSeq;
    let duplicates: number[] = [];
    // Settlements of events before this seq are still to be written.
    let unsettledBefore = Infinity;
    if (appends) {
      try {
        if (this.#roll(now)) partitions = this.partitions();
        const active = this.#active();
        const plan = this.#plan(appends, now);
        const inActive = settlements ? rowsIn(settlements, active.firstSeq, Infinity) : [];
        const changes = transaction(active.db, () => {
          this.#insertEvents(active, appends, plan);
          return settlements ? this.#settle(active, settlements, inActive) : null;
        });
        firstSeq = this.#nextSeq;
        duplicates = plan.duplicates;
        this.#appended(plan);
        if (changes) applyCounts(active, changes);
        unsettledBefore = active.firstSeq;
      } catch (error) {
        appendError = storeError(error);
      }
    }
    if (settlements) {
      try {
        this.#settleEverywhere(settlements, unsettledBefore);
      } catch (error) {
        settleError = storeError(error);
      }
    }
    if (positions.length > 0) {
      try {
        this.#live.savePositions(positions);
      } catch (error) {
        settleError ??= storeError(error);
      }
    }
    return { firstSeq, duplicates, appendError, settleError, partitions };
  }

  /** Seals ids in memory when they are many. Apart from `commit`, so that nobody waits for its answer. */
  tidy(): void {
    const active = this.#partitions.at(-1);
    if (active && this.#ids.full) this.#ids.seal(active, this.#nextSeq - 1);
  }

  openLane(sourceId: string, destinationId: string): LaneState {
    const source = this.#live.number(sourceId);
    const destination = this.#live.number(destinationId);
    for (const lane of this.#live.lanes.values()) {
      if (lane.source === source && lane.destination === destination && lane.endSeq === null) return this.#state(lane);
    }
    return this.#state(this.#live.addLane(source, destination, this.#nextSeq - 1, this.#accepted(source)));
  }

  endLane(id: number): LaneState | null {
    const lane = this.#live.lanes.get(id);
    if (!lane) return null;
    if (lane.endSeq === null) this.#live.endLane(lane, this.#nextSeq - 1, this.#accepted(lane.source));
    return this.#state(lane);
  }

  removeLane(id: number): void {
    this.#live.removeLane(id);
  }

  lanes(): LaneState[] {
    return [...this.#live.lanes.values()].map((lane) => this.#state(lane));
  }

  counts(destinationId: string): LaneTally[] {
    const destination = this.#live.knownNumber(destinationId);
    const tallies: LaneTally[] = [];
    for (const lane of this.#live.lanes.values()) {
      if (lane.destination !== destination) continue;
      let counts = sumCounts(this.#live.dropped.byLane.get(lane.id), undefined);
      for (const partition of this.#partitions) counts = sumCounts(counts, partition.counts.byLane.get(lane.id));
      const until = lane.endAccepted ?? this.#accepted(lane.source);
      tallies.push({
        ...counts,
        lane: lane.id,
        source: this.#live.name(lane.source),
        accepted: until - lane.startAccepted + counts.backfilled,
      });
    }
    return tallies;
  }

  totals(): [source: string, totals: Totals][] {
    return [...this.#totals].map(([source, totals]) => [this.#live.name(source), totals]);
  }

  /** Seq of the newest event with this messageId in any of the sources; null when there is none. */
  locate(messageId: string, sourceIds: readonly string[]): number | null {
    let newest: number | null = null;
    const hash: Hash = { high: 0, low: 0 };
    for (const sourceId of sourceIds) {
      const source = this.#live.knownNumber(sourceId);
      if (source === null) continue;
      hashId(source, messageId, hash);
      const seq = this.#ids.find(hash, 0, (candidate) => this.#isEvent(candidate, source, messageId, 0));
      if (seq !== null && seq > (newest ?? 0)) newest = seq;
    }
    return newest;
  }

  /** Puts deliveries back on the shelf; see DeliveryStore.requeue. */
  requeue(destinationId: string, now: number, seqs: readonly number[], dueAt: readonly number[]): number {
    const destination = this.#live.number(destinationId);
    let requeued = 0;
    for (const partition of this.#partitions) {
      const changes = new Map<number, Counts>();
      const rows = [...seqs.keys()].filter((i) => this.#partitionOf(seqs[i] ?? 0) === partition);
      if (rows.length === 0) continue;
      transaction(partition.db, () => {
        for (const i of rows) {
          const seq = seqs[i] ?? 0;
          if (this.#requeueOne(partition, destination, seq, dueAt[i] ?? now, now, changes)) requeued++;
        }
        for (const [lane, change] of changes) partition.counts.save(lane, change);
      });
      applyCounts(partition, changes);
    }
    return requeued;
  }

  /** Drops partitions that are older than `before` and that nobody waits for; answers how many. */
  expire(before: number): number {
    let dropped = 0;
    while (this.#partitions.length > 1) {
      const [oldest, following] = this.#partitions;
      if (!oldest || !following || following.startedAt > before) break;
      if (this.#isAwaited(oldest, following.firstSeq - 1)) break;
      const file = basename(oldest.path);
      this.#live.fold(file, oldest.counts.byLane);
      this.#ids.forget(oldest);
      this.#partitions.shift();
      oldest.close();
      this.#remove(file);
      dropped++;
    }
    return dropped;
  }

  /** Documents of `millrace.db` (settings, replays), each a row of JSON. */
  documents(table: DocumentTable): string[] {
    return this.#live.db.prepare(`SELECT json FROM ${table}`).all().map((row) => String(row['json']));
  }

  putDocument(table: DocumentTable, id: string, json: string): void {
    this.#live.db.prepare(`INSERT OR REPLACE INTO ${table} (id, json) VALUES (?, ?)`).run(id, json);
  }

  deleteDocument(table: DocumentTable, id: string): void {
    this.#live.db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  }

  close(): void {
    for (const partition of this.#partitions) partition.close();
    this.#live.close();
    this.#lock.close();
  }

  #active(): Partition {
    const active = this.#partitions.at(-1);
    if (!active) throw new Error('There is no partition to write to.');
    return active;
  }

  #accepted(source: number): number {
    return this.#totals.get(source)?.accepted ?? 0;
  }

  #state(lane: LaneRow): LaneState {
    return {
      id: lane.id,
      sourceId: this.#live.name(lane.source),
      destinationId: this.#live.name(lane.destination),
      after: lane.startSeq,
      until: lane.endSeq,
      source: lane.source,
      destination: lane.destination,
      position: lane.position,
    };
  }

  /** Begins a new partition when the active one has had its time; answers whether it did. */
  #roll(now: number): boolean {
    const active = this.#partitions.at(-1);
    if (active && now < active.startedAt + this.#options.partitionLength) return false;
    // The ids in memory belong to the partition that ends; the next one begins with none.
    if (active) this.#ids.seal(active, this.#nextSeq - 1);
    const startedAt = active ? Math.max(now, active.startedAt + 1) : now;
    const path = partitionPath(this.#options.dataDir, startedAt, this.#nextSeq);
    const partition = new Partition({ path, startedAt, firstSeq: this.#nextSeq });
    transaction(partition.db, () => {
      for (const [source, totals] of this.#totals) partition.saveTotals(source, totals);
    });
    this.#partitions.push(partition);
    return true;
  }

  /** Decides what each appended event gets: its seq, or that it is a duplicate. Changes nothing. */
  #plan(appends: AppendColumns, now: number): AppendPlan {
    const { messageIds, sourceOf } = appends;
    const count = messageIds.length;
    const sources = appends.sources.map((id) => this.#live.number(id));
    const plan: AppendPlan = {
      sources,
      seqs: new Float64Array(count),
      hashes: new Int32Array(count * 2),
      duplicates: [],
      totals: new Map(),
      nextSeq: this.#nextSeq,
      newest: 0,
    };
    const since = now - this.#options.dedupeWindow;
    // Ids of this very batch are not in the index yet.
    const batch = new Set<string>();
    const hash: Hash = { high: 0, low: 0 };
    for (let i = 0; i < count; i++) {
      const source = sources[sourceOf[i] ?? 0] ?? 0;
      const messageId = messageIds[i] ?? '';
      let totals = plan.totals.get(source);
      if (!totals) {
        totals = { ...(this.#totals.get(source) ?? { accepted: 0, duplicates: 0 }) };
        plan.totals.set(source, totals);
      }
      hashId(source, messageId, hash);
      const key = `${source} ${messageId}`;
      if (
        batch.has(key) ||
        this.#ids.find(hash, since, (seq) => this.#isEvent(seq, source, messageId, since)) !== null
      ) {
        plan.duplicates.push(i);
        totals.duplicates++;
        continue;
      }
      batch.add(key);
      plan.hashes[i * 2] = hash.high;
      plan.hashes[i * 2 + 1] = hash.low;
      plan.seqs[i] = plan.nextSeq++;
      plan.newest = appends.receivedAt[i] ?? 0;
      totals.accepted++;
    }
    return plan;
  }

  #insertEvents(partition: Partition, appends: AppendColumns, plan: AppendPlan): void {
    const ids = new Int32Array((plan.nextSeq - this.#nextSeq) * 2);
    let id = 0;
    let start = 0;
    for (let i = 0; i < appends.messageIds.length; i++) {
      const end = appends.ends[i] ?? 0;
      const seq = plan.seqs[i] ?? 0;
      if (seq > 0) {
        partition.insertEvent.run(
          seq,
          plan.sources[appends.sourceOf[i] ?? 0] ?? 0,
          appends.receivedAt[i] ?? 0,
          appends.types[i] ?? 0,
          appends.messageIds[i] ?? '',
          appends.names[i] ?? null,
          appends.userIds[i] ?? null,
          appends.integrations[i] ?? null,
          appends.unsent[i] ?? null,
          appends.bodies.subarray(start, end),
        );
        ids[id++] = plan.hashes[i * 2] ?? 0;
        ids[id++] = plan.hashes[i * 2 + 1] ?? 0;
      }
      start = end;
    }
    if (id > 0) partition.insertIds.run(this.#nextSeq, new Uint8Array(ids.buffer));
    for (const [source, totals] of plan.totals) partition.saveTotals(source, totals);
  }

  #appended(plan: AppendPlan): void {
    const hash: Hash = { high: 0, low: 0 };
    for (let i = 0; i < plan.seqs.length; i++) {
      const seq = plan.seqs[i] ?? 0;
      if (seq === 0) continue;
      hash.high = plan.hashes[i * 2] ?? 0;
      hash.low = plan.hashes[i * 2 + 1] ?? 0;
      this.#ids.add(hash, seq, plan.newest);
    }
    this.#nextSeq = plan.nextSeq;
    for (const [source, totals] of plan.totals) this.#totals.set(source, totals);
  }

  #settleEverywhere(settlements: SettlementColumns, before: number): void {
    for (const [i, partition] of this.#partitions.entries()) {
      const end = Math.min(before, this.#partitions[i + 1]?.firstSeq ?? Infinity);
      const rows = rowsIn(settlements, partition.firstSeq, end);
      if (rows.length === 0) continue;
      const changes = transaction(partition.db, () => this.#settle(partition, settlements, rows));
      applyCounts(partition, changes);
    }
  }

  /** Writes rows of settlements inside the caller's transaction; answers the change of counts. */
  #settle(partition: Partition, settlements: SettlementColumns, rows: readonly number[]): Map<number, Counts> {
    const changes = new Map<number, Counts>();
    const destinations = settlements.destinations.map((id) => this.#live.number(id));
    for (const i of rows) {
      const destination = destinations[settlements.destinationOf[i] ?? 0] ?? 0;
      const seq = settlements.seqs[i] ?? 0;
      const lane = settlements.lanes[i] ?? 0;
      const state = settlements.states[i] ?? 0;
      const reason = settlements.reasons[i] ?? null;
      const attempts = settlements.attempts[i] ?? '';
      const rounds = settlements.rounds[i] ?? 0;
      const firstAt = orNull(settlements.firstAt[i]);
      const dueAt = orNull(settlements.dueAt[i]);
      const urlsLeft = settlements.urlsLeft[i] ?? null;
      const at = settlements.at[i] ?? 0;
      const inserted = partition.insertDelivery.run(
        destination, seq, lane, state, reason, attempts, rounds, firstAt, dueAt, urlsLeft, at,
      );
      if (inserted.changes === 1) {
        countOf(changes, lane)[stateKey(state)]++;
        continue;
      }
      const row = partition.selectDelivery.get(destination, seq);
      const known = Number(row?.['state']);
      // An end is final, and a round is recorded once: whoever says it again was cut off before the answer.
      if (known !== RETRYING || (state === RETRYING && Number(row?.['rounds']) >= rounds)) continue;
      const all = [String(row?.['attempts']), attempts].filter((lines) => lines !== '').join('\n');
      partition.updateDelivery.run(state, reason, all, rounds, firstAt, dueAt, urlsLeft, at, destination, seq);
      const counts = countOf(changes, Number(row?.['lane']));
      counts.retrying--;
      counts[stateKey(state)]++;
    }
    for (const [lane, change] of changes) partition.counts.save(lane, change);
    return changes;
  }

  #requeueOne(
    partition: Partition,
    destination: number,
    seq: number,
    dueAt: number,
    now: number,
    changes: Map<number, Counts>,
  ): boolean {
    const row = partition.selectDelivery.get(destination, seq);
    if (row) {
      const state = Number(row['state']);
      if (state === RETRYING) return false;
      partition.requeueDelivery.run(dueAt, now, destination, seq);
      const counts = countOf(changes, Number(row['lane']));
      counts[stateKey(state)]--;
      counts.retrying++;
      return true;
    }
    const source = Number(partition.selectId.get(seq)?.['source']);
    const lanes = [...this.#live.lanes.values()].filter(
      (lane) => lane.source === source && lane.destination === destination,
    );
    // Without a row the event either still waits in a lane, or came before or between the lanes of its pair.
    if (lanes.some((lane) => seq > lane.startSeq && seq <= (lane.endSeq ?? Infinity))) return false;
    const lane = lanes.find(({ endSeq }) => endSeq === null);
    if (!lane) return false;
    partition.insertDelivery.run(destination, seq, lane.id, RETRYING, null, '', 0, null, dueAt, null, now);
    const counts = countOf(changes, lane.id);
    counts.retrying++;
    counts.backfilled++;
    return true;
  }

  /** Whether this event exists, with this source and messageId, received at `since` or later. */
  #isEvent(seq: number, source: number, messageId: string, since: number): boolean {
    const row = this.#partitionOf(seq)?.selectId.get(seq);
    return (
      row !== undefined &&
      row['source'] === source &&
      row['message_id'] === messageId &&
      Number(row['received_at']) >= since
    );
  }

  #partitionOf(seq: number): Partition | undefined {
    return this.#partitions.findLast((partition) => partition.firstSeq <= seq);
  }

  /** Whether a lane still waits for something in this partition, unread or on the shelf; `lastSeq` is its last seq. */
  #isAwaited(partition: Partition, lastSeq: number): boolean {
    const next = partition.db.prepare('SELECT 1 FROM events WHERE source = ? AND seq > ? AND seq <= ? LIMIT 1');
    for (const lane of this.#live.lanes.values()) {
      if ((partition.counts.byLane.get(lane.id)?.retrying ?? 0) > 0) return true;
      const end = Math.min(lane.endSeq ?? lastSeq, lastSeq);
      if (lane.position < end && next.get(lane.source, lane.position, end)) return true;
    }
    return false;
  }

  #remove(file: string): void {
    removePartition(join(this.#options.dataDir, file));
    this.#live.partitionRemoved(file);
  }
}

export type DocumentTable = 'sources' | 'destinations' | 'replays';

interface AppendPlan {
  readonly sources: readonly number[];
  /** 0 for a duplicate. */
  readonly seqs: Float64Array;
  readonly hashes: Int32Array;
  readonly duplicates: number[];
  readonly totals: Map<number, Totals>;
  nextSeq: number;
  newest: number;
}

function listPartitions(dataDir: string): PartitionInfo[] {
  const files: PartitionInfo[] = [];
  const names = new Set(readdirSync(dataDir));
  for (const name of names) {
    const file = parsePartitionFile(dataDir, name);
    if (file) files.push(file);
    // Left of a partition whose removal a crash cut short.
    const database = name.replace(/-(wal|shm)$/, '');
    if (database !== name && !names.has(database)) rmSync(join(dataDir, name), { force: true });
  }
  return files.sort((a, b) => a.firstSeq - b.firstSeq || a.startedAt - b.startedAt);
}

function rowsIn(settlements: SettlementColumns, from: number, before: number): number[] {
  const rows: number[] = [];
  for (let i = 0; i < settlements.seqs.length; i++) {
    const seq = settlements.seqs[i] ?? 0;
    if (seq >= from && seq < before) rows.push(i);
  }
  return rows;
}

function stateKey(state: number): 'processed' | 'failed' | 'filtered' | 'retrying' {
  return state === 0 ? 'processed' : state === 1 ? 'failed' : state === 2 ? 'filtered' : 'retrying';
}

function countOf(changes: Map<number, Counts>, lane: number): Counts {
  let counts = changes.get(lane);
  if (!counts) changes.set(lane, (counts = noCounts()));
  return counts;
}

function applyCounts(partition: Partition, changes: ReadonlyMap<number, Counts>): void {
  for (const [lane, change] of changes) partition.counts.apply(lane, change);
}

function orNull(value: number | undefined): number | null {
  return value === undefined || Number.isNaN(value) ? null : value;
}

/** SQLITE_FULL: the disk has no room. Everything else is a fault of the machine as well, and named in words. */
const SQLITE_FULL = 13;

function storeError(error: unknown): StoreError {
  const { message, errcode } = error as Error & { errcode?: number };
  return { full: (errcode ?? 0) % 256 === SQLITE_FULL, message };
}
