import type { StatementSync } from 'node:sqlite';
import { transaction } from './database.ts';
import type { Hash } from './hash.ts';
import { IdFilters } from './id-filters.ts';
import { IdTable } from './id-table.ts';
import type { Partition } from './partition.ts';

/** The table in memory becomes a run on disk at this many ids. It takes 20 MB at most. */
export const RUN_SIZE: number = 1 << 19;
const ENTRIES_PER_BUCKET = 256;
const ENTRY_BYTES = 16;

interface Run {
  readonly partition: Partition;
  readonly run: number;
  /** No event in the run was received later, milliseconds since the epoch. */
  readonly newest: number;
  readonly bucketBits: number;
  readonly selectBucket: StatementSync;
  /** Null once the run is too old to contain a duplicate. Then only a search for an event reads it. */
  filter: number | null;
}

export interface IdsOptions {
  readonly runSize: number;
  /** How long an id counts as seen, milliseconds. */
  readonly window: number;
}

/**
 * Finds events by message id without a random write per event. The ids of the newest events are in a hash table in memory. At
 * half a million ids, or when the partition ends, they are sealed as a run on disk: buckets of 256 ids, by the first bits of
 * the hash. A run has a Bloom filter in memory while its ids count as seen. Table and filters can be rebuilt from the rows of
 * `ids`, which are written together with the events.
 */
export class Ids {
  readonly #options: IdsOptions;
  readonly #table = new IdTable();
  readonly #filters: IdFilters;
  /** Oldest first. */
  #runs: Run[] = [];
  readonly #byFilter = new Map<number, Run>();
  #newest = 0;

  constructor(options: IdsOptions) {
    this.#options = options;
    this.#filters = new IdFilters(options.runSize);
  }

  /** Loads a partition whose events were all received at `now` or earlier. Load partitions in order, the oldest first. */
  load(partition: Partition, now: number): void {
    const { db } = partition;
    const runs = db.prepare('SELECT run, last_seq, newest, bucket_bits FROM runs ORDER BY run').all();
    for (const row of runs) {
      const newest = Number(row['newest']);
      const run = this.#addRun(partition, Number(row['run']), newest, Number(row['bucket_bits']));
      if (newest < now - this.#options.window) this.#retire(run);
    }
    const ofPartition = this.#runs.filter((run) => run.partition === partition);
    const lastSeqs = runs.map((row) => Number(row['last_seq']));
    const first = ofPartition.findIndex(({ filter }) => filter !== null);
    const known = first === -1 ? (lastSeqs.at(-1) ?? 0) : (lastSeqs[first - 1] ?? 0);
    let place = first === -1 ? runs.length : first;
    for (const row of db.prepare('SELECT first_seq, hashes FROM ids WHERE first_seq > ?').iterate(known)) {
      const bytes = row['hashes'] as Uint8Array;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const firstSeq = Number(row['first_seq']);
      while (place < runs.length && firstSeq > (lastSeqs[place] ?? 0)) place++;
      const filter = ofPartition[place]?.filter ?? null;
      for (let i = 0; i * 8 < bytes.byteLength; i++) {
        const high = view.getInt32(i * 8, true);
        const low = view.getInt32(i * 8 + 4, true);
        if (place === runs.length) this.#table.add(high, low, firstSeq + i);
        else if (filter !== null) this.#filters.add(filter, high, low);
      }
    }
    if (this.#table.size > 0) this.#newest = now;
  }

  /** Forgets a partition that is about to be dropped. */
  forget(partition: Partition): void {
    for (const run of this.#runs) if (run.partition === partition) this.#retire(run);
    this.#runs = this.#runs.filter((run) => run.partition !== partition);
  }

  add(hash: Hash, seq: number, receivedAt: number): void {
    this.#table.add(hash.high, hash.low, seq);
    if (receivedAt > this.#newest) this.#newest = receivedAt;
  }

  /** The newest seq with this hash that `accept` returns true for; null if there is none. Skips runs without events since `since`. */
  findSeen(hash: Hash, since: number, accept: (seq: number) => boolean): number | null {
    let found = this.#table.find(hash, accept);
    if (found === 0) {
      this.#filters.match(hash.high, hash.low, (filter) => {
        const run = this.#byFilter.get(filter);
        if (run && run.newest >= since) found = findInRun(run, hash, accept);
        return found !== 0;
      });
    }
    return found === 0 ? null : found;
  }

  /** The same without a limit of age. It is slower, because it reads every run without a filter. */
  find(hash: Hash, accept: (seq: number) => boolean): number | null {
    const seen = this.findSeen(hash, 0, accept);
    if (seen !== null) return seen;
    for (const run of this.#runs.toReversed()) {
      const found = run.filter === null ? findInRun(run, hash, accept) : 0;
      if (found !== 0) return found;
    }
    return null;
  }

  /** True if the table in memory must be sealed. */
  get full(): boolean {
    return this.#table.size >= this.#options.runSize;
  }

  /** Seals the table in memory as a run of `partition`, which contains all its events. */
  seal(partition: Partition, lastSeq: number): void {
    if (this.#table.size === 0) return;
    const bucketBits = Math.max(0, Math.ceil(Math.log2(this.#table.size / ENTRIES_PER_BUCKET)));
    const buckets = bucketsOf(this.#table, bucketBits);
    const { db } = partition;
    const number = this.#runs.filter((each) => each.partition === partition).length;
    transaction(db, () => {
      db.prepare('INSERT INTO runs (run, last_seq, newest, bucket_bits) VALUES (?, ?, ?, ?)').run(
        number,
        lastSeq,
        this.#newest,
        bucketBits,
      );
      const insert = db.prepare('INSERT INTO buckets (run, bucket, data) VALUES (?, ?, ?)');
      for (const [bucket, data] of buckets.entries()) insert.run(number, bucket, data);
    });
    const { filter } = this.#addRun(partition, number, this.#newest, bucketBits);
    if (filter !== null) this.#table.each((high, low) => this.#filters.add(filter, high, low));
    const seenSince = this.#newest - this.#options.window;
    for (const run of this.#runs) if (run.newest < seenSince) this.#retire(run);
    this.#table.clear();
    this.#newest = 0;
  }

  #addRun(partition: Partition, number: number, newest: number, bucketBits: number): Run {
    const selectBucket = partition.db.prepare('SELECT data FROM buckets WHERE run = ? AND bucket = ?');
    const filter = this.#filters.open();
    const run: Run = { partition, run: number, newest, bucketBits, selectBucket, filter };
    this.#runs.push(run);
    this.#byFilter.set(filter, run);
    return run;
  }

  /** Drops the filter of a run whose ids no longer count as seen. */
  #retire(run: Run): void {
    if (run.filter === null) return;
    this.#filters.release(run.filter);
    this.#byFilter.delete(run.filter);
    run.filter = null;
  }
}

/** Sorts the table's entries into buckets by the first bits of their hashes. First counts them, then writes them into one block. */
function bucketsOf(table: IdTable, bucketBits: number): Uint8Array[] {
  const ends = new Uint32Array((1 << bucketBits) + 1);
  table.each((high) => {
    const next = bucketOf(high, bucketBits) + 1;
    ends[next] = (ends[next] ?? 0) + ENTRY_BYTES;
  });
  for (let i = 1; i < ends.length; i++) ends[i] = (ends[i] ?? 0) + (ends[i - 1] ?? 0);
  const starts = ends.slice();
  const view = new DataView(new ArrayBuffer(table.size * ENTRY_BYTES));
  table.each((high, low, seq) => {
    const bucket = bucketOf(high, bucketBits);
    const at = starts[bucket] ?? 0;
    starts[bucket] = at + ENTRY_BYTES;
    view.setInt32(at, high, true);
    view.setInt32(at + 4, low, true);
    view.setFloat64(at + 8, seq, true);
  });
  return Array.from({ length: 1 << bucketBits }, (_, bucket) => {
    const start = ends[bucket] ?? 0;
    return new Uint8Array(view.buffer, start, (ends[bucket + 1] ?? 0) - start);
  });
}

/** The newest seq in the run with this hash that `accept` returns true for; 0 if there is none. */
function findInRun(run: Run, hash: Hash, accept: (seq: number) => boolean): number {
  const row = run.selectBucket.get(run.run, bucketOf(hash.high, run.bucketBits));
  if (!row) return 0;
  const bytes = row['data'] as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let newest = 0;
  for (let at = 0; at < bytes.byteLength; at += ENTRY_BYTES) {
    if (view.getInt32(at, true) !== hash.high || view.getInt32(at + 4, true) !== hash.low) continue;
    const seq = view.getFloat64(at + 8, true);
    if (seq > newest && accept(seq)) newest = seq;
  }
  return newest;
}

function bucketOf(high: number, bucketBits: number): number {
  return bucketBits === 0 ? 0 : high >>> (32 - bucketBits);
}
