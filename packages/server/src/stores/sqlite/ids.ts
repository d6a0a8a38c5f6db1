import type { StatementSync } from 'node:sqlite';
import { transaction } from './database.ts';
import type { Hash } from './hash.ts';
import type { Partition } from './partition.ts';

/** A run is sealed at this many ids: 16 MB of memory at most, and a pause of some 60 ms every half million events. */
const RUN_SIZE = 1 << 19;
const ENTRIES_PER_BUCKET = 256;
const ENTRY_BYTES = 16;
const FILTER_BITS_PER_ID = 12;
const FILTER_PROBES = 4;

interface Run {
  readonly partition: Partition;
  readonly run: number;
  /** When the newest event in it was received. */
  readonly newest: number;
  readonly bucketBits: number;
  readonly filter: Uint8Array;
  readonly selectBucket: StatementSync;
}

/**
 * Finds the event that has a message id, without a random write per event: the ids of the newest events are a hash table
 * in memory, and every half million of them (or at the end of a partition) are sealed as a run on disk: 256 ids a
 * bucket by the first bits of their hash, with a Bloom filter in memory (12 bits an id, about 1 % false positives).
 * Until it is sealed, the table can be made again from the partition's `ids` rows, written with the events themselves.
 */
export class Ids {
  #highs = new Int32Array(1 << 12);
  #lows = new Int32Array(1 << 12);
  /** 0 marks an empty slot: the first seq is 1. */
  #seqs = new Float64Array(1 << 12);
  #size = 0;
  #newest = 0;
  #runs: Run[] = [];

  /** Takes in what a partition holds; the partitions come oldest first. */
  load(partition: Partition): void {
    const { db } = partition;
    const selectBucket = db.prepare('SELECT data FROM buckets WHERE run = ? AND bucket = ?');
    let sealed = 0;
    for (const row of db.prepare('SELECT * FROM runs ORDER BY run').all()) {
      this.#runs.push({
        partition,
        run: Number(row['run']),
        newest: Number(row['newest']),
        bucketBits: Number(row['bucket_bits']),
        filter: row['filter'] as Uint8Array,
        selectBucket,
      });
      sealed = Number(row['last_seq']);
    }
    const newest = db.prepare('SELECT received_at FROM events ORDER BY seq DESC LIMIT 1').get();
    const hash: Hash = { high: 0, low: 0 };
    for (const row of db.prepare('SELECT first_seq, hashes FROM ids WHERE first_seq > ?').iterate(sealed)) {
      const bytes = row['hashes'] as Uint8Array;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const firstSeq = Number(row['first_seq']);
      for (let i = 0; i * 8 < bytes.byteLength; i++) {
        hash.high = view.getInt32(i * 8, true);
        hash.low = view.getInt32(i * 8 + 4, true);
        this.add(hash, firstSeq + i, Number(newest?.['received_at'] ?? 0));
      }
    }
  }

  /** Forgets a partition that is about to be dropped. */
  forget(partition: Partition): void {
    this.#runs = this.#runs.filter((run) => run.partition !== partition);
  }

  add(hash: Hash, seq: number, receivedAt: number): void {
    if ((this.#size + 1) * 2 > this.#seqs.length) this.#grow();
    this.#place(hash.high, hash.low, seq);
    this.#size++;
    if (receivedAt > this.#newest) this.#newest = receivedAt;
  }

  /** The newest seq with this hash that `accept` agrees to, in runs that hold something received at `since` or later. */
  find(hash: Hash, since: number, accept: (seq: number) => boolean): number | null {
    const mask = this.#seqs.length - 1;
    for (let slot = hash.low & mask; this.#seqs[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#lows[slot] !== hash.low || this.#highs[slot] !== hash.high) continue;
      const seq = this.#seqs[slot] ?? 0;
      if (accept(seq)) return seq;
    }
    for (let i = this.#runs.length - 1; i >= 0; i--) {
      const run = this.#runs[i];
      if (!run || run.newest < since || !mayHold(run.filter, hash)) continue;
      const seq = findInRun(run, hash, accept);
      if (seq !== null) return seq;
    }
    return null;
  }

  /** True when the table in memory is due to be sealed. */
  get full(): boolean {
    return this.#size >= RUN_SIZE;
  }

  /** Seals the table in memory as a run of `partition`, which holds all its events. */
  seal(partition: Partition, lastSeq: number): void {
    if (this.#size === 0) return;
    const bucketBits = Math.max(0, Math.ceil(Math.log2(this.#size / ENTRIES_PER_BUCKET)));
    const filter = this.#filter();
    const buckets = this.#buckets(bucketBits);
    const { db } = partition;
    const run = this.#runs.filter((each) => each.partition === partition).length;
    transaction(db, () => {
      db.prepare('INSERT INTO runs (run, last_seq, newest, bucket_bits, filter) VALUES (?, ?, ?, ?, ?)').run(
        run,
        lastSeq,
        this.#newest,
        bucketBits,
        filter,
      );
      const insert = db.prepare('INSERT INTO buckets (run, bucket, data) VALUES (?, ?, ?)');
      for (const [bucket, data] of buckets.entries()) insert.run(run, bucket, data);
    });
    this.#runs.push({
      partition,
      run,
      newest: this.#newest,
      bucketBits,
      filter,
      selectBucket: db.prepare('SELECT data FROM buckets WHERE run = ? AND bucket = ?'),
    });
    this.#seqs.fill(0);
    this.#size = 0;
    this.#newest = 0;
  }

  #place(high: number, low: number, seq: number): void {
    const mask = this.#seqs.length - 1;
    let slot = low & mask;
    while (this.#seqs[slot] !== 0) slot = (slot + 1) & mask;
    this.#highs[slot] = high;
    this.#lows[slot] = low;
    this.#seqs[slot] = seq;
  }

  #grow(): void {
    const [highs, lows, seqs] = [this.#highs, this.#lows, this.#seqs];
    this.#highs = new Int32Array(seqs.length * 2);
    this.#lows = new Int32Array(seqs.length * 2);
    this.#seqs = new Float64Array(seqs.length * 2);
    for (let slot = 0; slot < seqs.length; slot++) {
      const seq = seqs[slot] ?? 0;
      if (seq !== 0) this.#place(highs[slot] ?? 0, lows[slot] ?? 0, seq);
    }
  }

  #filter(): Uint8Array {
    const bits = 2 ** Math.ceil(Math.log2(Math.max(64, this.#size * FILTER_BITS_PER_ID)));
    const filter = new Uint8Array(bits / 8);
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      if (this.#seqs[slot] === 0) continue;
      for (let probe = 0; probe < FILTER_PROBES; probe++) {
        const bit = filterBit(this.#highs[slot] ?? 0, this.#lows[slot] ?? 0, probe, bits);
        filter[bit >>> 3] = (filter[bit >>> 3] ?? 0) | (1 << (bit & 7));
      }
    }
    return filter;
  }

  #buckets(bucketBits: number): Uint8Array[] {
    const entries: number[][] = Array.from({ length: 1 << bucketBits }, () => []);
    for (let slot = 0; slot < this.#seqs.length; slot++) {
      if (this.#seqs[slot] !== 0) entries[bucketOf(this.#highs[slot] ?? 0, bucketBits)]?.push(slot);
    }
    return entries.map((slots) => {
      const data = new Uint8Array(slots.length * ENTRY_BYTES);
      const view = new DataView(data.buffer);
      for (const [i, slot] of slots.entries()) {
        view.setInt32(i * ENTRY_BYTES, this.#highs[slot] ?? 0, true);
        view.setInt32(i * ENTRY_BYTES + 4, this.#lows[slot] ?? 0, true);
        view.setFloat64(i * ENTRY_BYTES + 8, this.#seqs[slot] ?? 0, true);
      }
      return data;
    });
  }
}

function findInRun(run: Run, hash: Hash, accept: (seq: number) => boolean): number | null {
  const row = run.selectBucket.get(run.run, bucketOf(hash.high, run.bucketBits));
  if (!row) return null;
  const bytes = row['data'] as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += ENTRY_BYTES) {
    if (view.getInt32(at, true) !== hash.high || view.getInt32(at + 4, true) !== hash.low) continue;
    const seq = view.getFloat64(at + 8, true);
    if (accept(seq)) return seq;
  }
  return null;
}

function mayHold(filter: Uint8Array, hash: Hash): boolean {
  const bits = filter.length * 8;
  for (let probe = 0; probe < FILTER_PROBES; probe++) {
    const bit = filterBit(hash.high, hash.low, probe, bits);
    if (((filter[bit >>> 3] ?? 0) & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function filterBit(high: number, low: number, probe: number, bits: number): number {
  return ((low + Math.imul(probe, high | 1)) & (bits - 1)) >>> 0;
}

function bucketOf(high: number, bucketBits: number): number {
  return bucketBits === 0 ? 0 : high >>> (32 - bucketBits);
}
