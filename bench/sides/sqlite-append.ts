/**
 * Ceiling: synced append. A worker thread inserts bodies of about 1 KB into SQLite, each transaction synced to the disk
 * before the next begins. Arguments: a folder, rows per transaction, seconds. Prints `{"events","seconds","cpuSeconds"}`.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { callText } from '../calls.ts';
import { FAST_AND_SYNCED } from './pragmas.ts';

if (isMainThread) {
  const [folder, rows, seconds] = process.argv.slice(2);
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { folder, rows: Number(rows), seconds: Number(seconds) },
  });
  worker.on('message', (result) => console.log(JSON.stringify(result)));
} else {
  parentPort?.postMessage(append(workerData));
}

function append({ folder, rows, seconds }: { folder: string; rows: number; seconds: number }): object {
  const db = new DatabaseSync(join(folder, `append-${rows}.db`));
  db.exec(FAST_AND_SYNCED);
  db.exec('CREATE TABLE event (position INTEGER PRIMARY KEY, message_id TEXT, body BLOB)');
  const insert = db.prepare('INSERT INTO event (message_id, body) VALUES (?, ?)');
  const body = Buffer.from(callText({ run: 'ceilng', stamped: false }));
  const startedAt = performance.now();
  const cpu = process.cpuUsage();
  let events = 0;
  while (performance.now() - startedAt < seconds * 1000) {
    db.exec('BEGIN');
    for (let i = 0; i < rows; i++) insert.run(`message-${events++}`, body);
    db.exec('COMMIT');
  }
  const { user, system } = process.cpuUsage(cpu);
  const took = (performance.now() - startedAt) / 1000;
  db.close();
  return { events, seconds: took, cpuSeconds: (user + system) / 1e6 };
}
