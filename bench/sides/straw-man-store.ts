/** The straw man's log on its own thread: every message from the main thread becomes one synced transaction. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { FAST_AND_SYNCED } from './pragmas.ts';

export interface Commit {
  /** Position of the first body. */
  readonly first: number;
  readonly lengths: Uint32Array;
  /** All bodies, one after another. */
  readonly bodies: Uint8Array;
  /** Positions that were delivered. */
  readonly outcomes: Float64Array;
}

const db = new DatabaseSync(join(workerData.folder, 'straw-man.db'));
db.exec(FAST_AND_SYNCED);
db.exec('CREATE TABLE event (position INTEGER PRIMARY KEY, body BLOB)');
db.exec('CREATE TABLE outcome (position INTEGER PRIMARY KEY, at INTEGER)');
const insertEvent = db.prepare('INSERT INTO event (position, body) VALUES (?, ?)');
const insertOutcome = db.prepare('INSERT INTO outcome (position, at) VALUES (?, ?)');

parentPort?.on('message', ({ first, lengths, bodies, outcomes }: Commit) => {
  db.exec('BEGIN');
  let from = 0;
  for (const [i, length] of lengths.entries()) {
    insertEvent.run(first + i, bodies.subarray(from, from + length));
    from += length;
  }
  const now = Date.now();
  for (const position of outcomes) insertOutcome.run(position, now);
  db.exec('COMMIT');
  parentPort?.postMessage(null);
});
