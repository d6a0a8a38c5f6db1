import type { DatabaseSync } from 'node:sqlite';
import { stateOf } from '../../core/delivery.ts';
import type { Lane } from '../../core/lane.ts';
import type { LaneCountsOf, ReplayResult, Requeued, RequeueItem } from '../../record/contract.ts';
import { type AppendPlan, insertEvents, planAppend } from './appending.ts';
import { type Hold, standStill } from './backup-hold.ts';
import { Ballast } from './ballast.ts';
import { type Counts, sumCounts } from './counts.ts';
import { lockFolder, named, transaction } from './database.ts';
import { cutLog, eraseRows } from './erasing.ts';
import { storeError } from './failure.ts';
import type { Hash } from './hash.ts';
import { Ids } from './ids.ts';
import type { LaneRow, Live } from './live.ts';
import { Locating } from './locating.ts';
import { type OpenFolder, type OpeningOptions, openFolder } from './opening.ts';
import type { Partition, Totals } from './partition.ts';
import { Partitions } from './partitions.ts';
import type { CommitRequest, CommitResult, PartitionInfo, ResultRow, StoreError } from './protocol.ts';
import { rewrite, TO_REWRITE } from './rewriting.ts';
import { type EndedRow, requeueRow, resultsIn, settleRows } from './settling.ts';
import { type BoundStatement, bound, run } from './statements.ts';

export interface WriterOptions extends OpeningOptions {
  /** How long one partition takes events, milliseconds. */
  readonly partitionLength: number;
  /** How long a messageId is remembered, milliseconds. */
  readonly dedupeWindow: number;
  /** How many ids a run contains; see ids.ts. */
  readonly runSize: number;
}

/** A lane, with what its reader needs. */
export interface LaneState extends Lane, Readonly<Pick<LaneRow, 'source' | 'destination' | 'position'>> {}

/** The only writer of the store, on a thread of its own. Every change of a file runs here, one at a time. */
export class Writer {
  readonly locating: Locating;
  readonly live: Live;
  readonly #options: WriterOptions;
  readonly #lock: DatabaseSync;
  readonly #folderId: string;
  readonly #ids: Ids;
  readonly #partitions: Partitions;
  readonly #totals: Map<number, Totals>;
  /** Positions of lanes that are not saved yet. */
  readonly #reached = new Map<number, number>();
  #nextSeq: number;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#ids = new Ids({ runSize: options.runSize, window: options.dedupeWindow });
    const ballast = new Ballast(options.dataDir);
    const open = (): OpenFolder & { readonly lock: DatabaseSync } => ({
      lock: lockFolder(options.dataDir),
      ...named(options.dataDir, () => openFolder(options)),
    });
    const { lock, live, folderId, partitions, totals, nextSeq } = ballast.lendAtStart(open);
    this.#lock = lock;
    this.live = live;
    this.#folderId = folderId;
    for (const partition of partitions) {
      named(partition.path, () => this.#ids.load(partition, options.openedAt));
    }
    this.#totals = totals;
    const { dataDir, partitionLength } = options;
    this.#partitions = new Partitions(partitions, {
      dataDir,
      partitionLength,
      folderId,
      live,
      ballast,
      ids: this.#ids,
      totals,
    });
    this.locating = new Locating(live, this.#ids, this.#partitions, totals);
    this.#nextSeq = nextSeq;
  }

  partitions(): PartitionInfo[] {
    return this.#partitions.infos;
  }

  /** Seq of the newest event; 0 before the first. */
  lastSeq(): number {
    return this.#nextSeq - 1;
  }

  folderId(): string {
    return this.#folderId;
  }

  /** Blocks this thread while a backup takes its snapshot, at most a second. */
  standStill(hold: Hold): void {
    standStill(hold);
  }

  /**
   * Commits appends, and delivery results. Results for the partition of the appends are in the same transaction; the other
   * partitions have their own. Every commit is synced. If the common transaction fails, the results are tried again without the
   * appends, which need far more space.
   */
  commit(request: CommitRequest): CommitResult {
    const { appends, results, positions, now } = request;
    const { locating } = this;
    const number = this.#number;
    let partitions: PartitionInfo[] | null = null;
    let appendError: StoreError | null = null;
    let settleError: StoreError | null = null;
    let firstSeq = this.#nextSeq;
    let duplicates: number[] = [];
    // Delivery results of events before this seq must still be written.
    let unsettledBefore = Infinity;
    if (appends) {
      try {
        if (this.#partitions.roll(now, this.#nextSeq)) partitions = this.partitions();
        const active = this.#active();
        active.mustBeThere();
        const known = { nextSeq: this.#nextSeq, totals: this.#totals, ids: this.#ids, live: this.live, locating };
        const plan = planAppend(appends, now - this.#options.dedupeWindow, known);
        const inActive = resultsIn(results, active.firstSeq, Infinity);
        const changes = transaction(active.db, () => {
          insertEvents(active, appends, plan);
          return settleRows(active, inActive, number);
        });
        firstSeq = this.#nextSeq;
        duplicates = plan.duplicates;
        this.#appended(plan);
        applyCounts(active, changes);
        unsettledBefore = active.firstSeq;
      } catch (error) {
        appendError = storeError(error);
      }
    }
    try {
      this.#settleEverywhere(results, unsettledBefore);
    } catch (error) {
      settleError = storeError(error);
    }
    for (const [lane, position] of positions) this.#reached.set(lane, position);
    if (this.#reached.size > 0) {
      try {
        this.live.savePositions([...this.#reached]);
        this.#reached.clear();
      } catch {
        // Positions may be late. A failure here must not make the caller repeat durable results; the next commit saves the positions.
      }
    }
    return { firstSeq, duplicates, appendError, settleError, untidy: this.#ids.full, partitions };
  }

  /** Seals the ids in memory if there are enough for a run. Not part of `commit`, so that no caller waits for it. */
  tidy(): void {
    const active = this.#partitions.last;
    if (active && this.#ids.full) this.#ids.seal(active, this.#nextSeq - 1);
  }

  openLane(sourceId: string, destinationId: string): LaneState {
    const source = this.live.number(sourceId);
    const destination = this.live.number(destinationId);
    for (const lane of this.live.lanes.values()) {
      if (lane.source === source && lane.destination === destination && lane.endSeq === null) return this.#state(lane);
    }
    return this.#state(this.live.addLane(source, destination, this.#nextSeq - 1, this.#accepted(source)));
  }

  endLane(id: number): LaneState | null {
    const lane = this.live.lanes.get(id);
    if (!lane) return null;
    if (lane.endSeq === null) this.live.endLane(lane, this.#nextSeq - 1, this.#accepted(lane.source));
    return this.#state(lane);
  }

  lanes(): LaneState[] {
    return [...this.live.lanes.values()].map((lane) => this.#state(lane));
  }

  /** See DeliveryStore.counts. Reads only memory: hundreds of destinations cost less than a commit. */
  counts(destinationIds: readonly string[]): LaneCountsOf[] {
    const destinations = new Set(destinationIds.map((id) => this.live.knownNumber(id)));
    const counted: LaneCountsOf[] = [];
    for (const lane of this.live.lanes.values()) {
      if (!destinations.has(lane.destination)) continue;
      const { processed, failed, filtered, retrying, backfilled } = this.#countsUnder(lane.id);
      const accepted = (lane.endAccepted ?? this.#accepted(lane.source)) - lane.startAccepted + backfilled;
      counted.push({
        laneId: lane.id,
        sourceId: this.live.name(lane.source),
        destinationId: this.live.name(lane.destination),
        counts: { accepted, processed, failed, filtered, retrying, waiting: accepted - processed - failed - filtered },
      });
    }
    return counted;
  }

  totals(): [source: string, totals: Totals][] {
    return [...this.#totals].map(([source, totals]) => [this.live.name(source), totals]);
  }

  /** Puts deliveries back into the retry queue; see DeliveryStore.requeue. `urlsLeft` is JSON. */
  requeue(
    destinationId: string,
    items: readonly RequeueItem[],
    replayId: string,
    urlsLeft: string | null,
    now: number,
  ): Requeued {
    const of = { destination: this.live.number(destinationId), replay: this.live.number(replayId), now, urlsLeft };
    const lanes = [...this.live.lanes.values()];
    let put = 0;
    const ended: EndedRow[] = [];
    for (const [partition, own] of Map.groupBy(items, ({ position }) => this.#partitions.of(position))) {
      if (!partition) continue;
      const changes = new Map<number, Counts>();
      transaction(partition.db, () => {
        for (const { position, dueAt } of own) {
          put += Number(requeueRow(partition, lanes, of, position, dueAt, changes, ended));
        }
        for (const [lane, change] of changes) partition.counts.save(lane, change);
      });
      applyCounts(partition, changes);
    }
    const minutes = ended.map((row) => ({ ...row, at: row.at - (row.at % 60_000) }));
    const alike = Map.groupBy(minutes, ({ source, state, at }) => `${source} ${state} ${at}`);
    const undone = Array.from(alike.values(), (rows) => {
      const [{ source, state, at }] = rows as [EndedRow];
      return { sourceId: this.live.name(source), state: stateOf(state), at, messages: rows.length };
    });
    return { put, undone };
  }

  /** See DeliveryStore.hasten. */
  hasten(destinationId: string, now: number, of: number | readonly number[]): number {
    const destination = this.live.knownNumber(destinationId) ?? 0;
    if (typeof of !== 'number') {
      let hastened = 0;
      for (const [partition, seqs] of Map.groupBy(of, (seq) => this.#partitions.of(seq))) {
        if (!partition) continue;
        transaction(partition.db, () => {
          const one = partition.prepare(HASTEN_ONE);
          for (const seq of seqs) hastened += Number(one.run({ destination, now, seq }).changes);
        });
      }
      return hastened;
    }
    let left = of;
    for (const partition of this.#partitions.all) {
      if (left > 0) left -= Number(partition.prepare(HASTEN_SOME).run({ destination, now, left }).changes);
    }
    return of - left;
  }

  /** See DeliveryStore.replayResults. */
  replayResults(replayIds: readonly string[]): Map<string, ReplayResult> {
    const results = new Map<string, ReplayResult>();
    for (const id of replayIds) {
      const number = this.live.knownNumber(id);
      if (number === null) continue;
      results.set(id, this.#countsUnder(-number));
    }
    return results;
  }

  /** The counts of a lane, or of a replay (its number negated). */
  #countsUnder(id: number): Counts {
    let counts = sumCounts(this.live.dropped.byLane.get(id), undefined);
    for (const partition of this.#partitions.all) counts = sumCounts(counts, partition.counts.byLane.get(id));
    return counts;
  }

  /** Removes events; see Erasure.erase. */
  erase(seqs: readonly number[], now: number): void {
    const lanes = [...this.live.lanes.values()];
    const markAt = (seq: number): number => this.locating.markAt(seq);
    for (const [partition, own] of Map.groupBy(seqs, (seq) => this.#partitions.of(seq))) {
      if (!partition) continue;
      const changes = transaction(partition.db, () => eraseRows(partition, lanes, own, now, markAt));
      applyCounts(partition, changes);
    }
  }

  /** Rewrites `millrace.db` if necessary, and truncates the write-ahead logs of all files. False if a reader is using one. */
  purge(): boolean {
    rewrite(this.live.db);
    return [this.live, ...this.#partitions.all].every(({ db }) => cutLog(db));
  }

  /** Rewrites `millrace.db`. */
  rewriteLive(): void {
    this.write([bound(TO_REWRITE)], false);
    rewrite(this.live.db);
  }

  /** Truncates the write-ahead log of `millrace.db`. False if a reader is using it. */
  cutLive(): boolean {
    return cutLog(this.live.db);
  }

  /** See Sql.write. Runs all of them or none. */
  write(statements: readonly BoundStatement[], unsynced: boolean): object[][] {
    const db = unsynced ? this.live.late : this.live.db;
    return transaction(db, () => statements.map((statement) => run(db, statement)));
  }

  /**
   * Drops partitions that are older than `before`, end at or before seq `takenIn`, and that no lane has to read: oldest first.
   * Answers how many. Their files stay until `removeDropped`, for readers that use them.
   */
  expire(before: number, now: number, takenIn: number): number {
    return this.#partitions.expire(before, now, this.#nextSeq, takenIn);
  }

  close(): void {
    this.#partitions.close();
    this.live.close();
    this.#lock.close();
  }

  readonly #number = (name: string): number => this.live.number(name);

  #active(): Partition {
    const active = this.#partitions.last;
    if (!active) throw new Error('There is no partition to write to.');
    return active;
  }

  #accepted(source: number): number {
    return this.#totals.get(source)?.accepted ?? 0;
  }

  #state(lane: LaneRow): LaneState {
    const { id, source, destination, position, startSeq: after, endSeq: until } = lane;
    const [sourceId, destinationId] = [this.live.name(source), this.live.name(destination)];
    return { id, source, destination, sourceId, destinationId, position, after, until };
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

  #settleEverywhere(results: readonly ResultRow[], before: number): void {
    const number = this.#number;
    for (const [i, partition] of this.#partitions.all.entries()) {
      const end = Math.min(before, this.#partitions.all[i + 1]?.firstSeq ?? Infinity);
      const own = resultsIn(results, partition.firstSeq, end);
      if (own.length === 0) continue;
      const changes = transaction(partition.db, () => settleRows(partition, own, number));
      applyCounts(partition, changes);
    }
  }
}

const HASTEN_ONE = `UPDATE deliveries SET due_at = :now
  WHERE destination = :destination AND seq = :seq AND state = 3 AND due_at > :now`;

const HASTEN_SOME = `UPDATE deliveries SET due_at = :now WHERE destination = :destination AND seq IN
  (SELECT seq FROM deliveries WHERE destination = :destination AND state = 3 AND due_at > :now
   AND at <= :now + 1000 LIMIT :left)`;

function applyCounts(partition: Partition, changes: ReadonlyMap<number, Counts>): void {
  for (const [lane, change] of changes) partition.counts.apply(lane, change);
}
