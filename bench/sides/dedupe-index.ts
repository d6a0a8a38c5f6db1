/**
 * The product's index of message ids by itself: every id is looked up, not found and added, as for each accepted event;
 * then old ids are looked up and found, as for duplicates. Arguments: a folder, how many ids. Prints a DedupeCost.
 */
import { join } from 'node:path';
import { type Hash, hashId } from '../../packages/server/src/stores/sqlite/hash.ts';
import { Ids, RUN_SIZE } from '../../packages/server/src/stores/sqlite/ids.ts';
import { Partition } from '../../packages/server/src/stores/sqlite/partition.ts';

export interface DedupeCost {
  /** Microseconds per new id, for the first and the last million, sealing to disk included. */
  readonly firstMicros: number;
  readonly lastMicros: number;
  /** Microseconds per duplicate of an id anywhere in the index. */
  readonly duplicateMicros: number;
  /** Longest time one batch of 100 ids took, milliseconds. */
  readonly longestMs: number;
  readonly rssMb: number;
}

const SPAN = 1_000_000;
const BATCH = 100;
const DUPLICATES = 20_000;

const [folder, count] = process.argv.slice(2);
const total = Number(count);
const partition = Partition.open({ path: join(folder ?? '', 'ids.db'), startedAt: 0, firstSeq: 1 });
const ids = new Ids({ runSize: RUN_SIZE, window: Number.POSITIVE_INFINITY });
const NO_SEED: Hash = { high: 0, low: 0 };
const hash: Hash = { high: 0, low: 0 };
let longestMs = 0;

const firstMicros = addMany(1, Math.min(SPAN, total));
if (total > 2 * SPAN) addMany(SPAN + 1, total - SPAN);
const lastMicros = total > SPAN ? addMany(Math.max(total - SPAN, SPAN) + 1, total) : firstMicros;
const duplicateMicros = findMany();
const result: DedupeCost = {
  firstMicros,
  lastMicros,
  duplicateMicros,
  longestMs,
  rssMb: process.memoryUsage.rss() / 2 ** 20,
};
partition.close();
console.log(JSON.stringify(result));

function addMany(from: number, to: number): number {
  const startedAt = performance.now();
  for (let seq = from; seq <= to; seq += BATCH) {
    const batchAt = performance.now();
    for (let i = seq; i < seq + BATCH && i <= to; i++) {
      hashId(NO_SEED, 1, messageId(i), hash);
      if (ids.findSeen(hash, 0, found) === null) ids.add(hash, i, i);
    }
    if (ids.full) ids.seal(partition, Math.min(seq + BATCH - 1, to));
    longestMs = Math.max(longestMs, performance.now() - batchAt);
  }
  return ((performance.now() - startedAt) * 1000) / (to - from + 1);
}

function findMany(): number {
  const step = Math.max(1, Math.floor(total / DUPLICATES));
  const startedAt = performance.now();
  let looked = 0;
  for (let seq = 1; seq <= total; seq += step) {
    hashId(NO_SEED, 1, messageId(seq), hash);
    if (ids.findSeen(hash, 0, found) === null) throw new Error(`The id of event ${seq} was not found`);
    looked++;
  }
  return ((performance.now() - startedAt) * 1000) / looked;
}

function found(): boolean {
  return true;
}

function messageId(number: number): string {
  return `ajs-next-1763690000000-5b1e-${number}`;
}
