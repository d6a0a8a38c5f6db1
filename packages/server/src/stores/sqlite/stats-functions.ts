import type { DatabaseSync } from 'node:sqlite';
import { addTallies, type Tally, talliesIn, talliesText } from '../../core/tally.ts';
import { BUCKETS } from '../relational/sql.ts';

/** Adds the SQL functions that statements about statistics call. A `latency` is packed: see `packCounts`. */
export function addStatsFunctions(db: DatabaseSync): void {
  db.function('add_tallies', { deterministic: true }, (a, b) => sumOfTallies(String(a), String(b)));
  db.function('add_counts', { deterministic: true }, (a, b) => sumOfCounts(a as Uint8Array, b as Uint8Array));
  db.aggregate<Uint32Array>('sum_counts', {
    start: () => new Uint32Array(BUCKETS),
    step: (sum, packed) => unpackCounts(packed as Uint8Array, sum),
    result: packCounts,
  });
}

/** Bytes of one packed count: the number of its bucket in one, the count in four. */
const COUNT_BYTES = 5;

/** Packs the counts that are not zero: in a minute, few buckets have one. */
export function packCounts(counts: Uint32Array): Uint8Array {
  const used = counts.reduce((sum, count) => sum + (count > 0 ? 1 : 0), 0);
  const view = new DataView(new ArrayBuffer(used * COUNT_BYTES));
  let offset = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0) continue;
    view.setUint8(offset, bucket);
    view.setUint32(offset + 1, count);
    offset += COUNT_BYTES;
  }
  return new Uint8Array(view.buffer);
}

/** Adds packed counts to an array of `BUCKETS` counts. */
export function unpackCounts(packed: Uint8Array, into: Uint32Array = new Uint32Array(BUCKETS)): Uint32Array {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  for (let offset = 0; offset < packed.byteLength; offset += COUNT_BYTES) {
    const bucket = view.getUint8(offset);
    into[bucket] = (into[bucket] ?? 0) + view.getUint32(offset + 1);
  }
  return into;
}

function sumOfTallies(a: string, b: string): string {
  if (a === '' || b === '') return a + b;
  const sum = new Map<string, Tally>(talliesIn(a));
  addTallies(sum, talliesIn(b));
  return talliesText(sum);
}

function sumOfCounts(a: Uint8Array, b: Uint8Array): Uint8Array {
  if (b.byteLength === 0) return a;
  return packCounts(unpackCounts(b, unpackCounts(a)));
}
