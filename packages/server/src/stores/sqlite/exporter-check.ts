import { hash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { folderOf, Manifest } from './manifest.ts';
import { droppedBefore, notWhole, putBack } from './opening.ts';
import type { PartitionInfo } from './protocol.ts';

/** Identifies a folder and its state: a hash of the sizes and times of its files. A service that opens the folder changes them; reading does not. */
export function fingerprintOf(dataDir: string): string {
  const lines = readdirSync(dataDir)
    .filter((name) => /\.db(-wal)?$/.test(name))
    .sort()
    .map((name) => ({ name, stat: statSync(join(dataDir, name)) }))
    .filter(({ stat }) => stat.size > 0)
    .map(({ name, stat }) => `${name} ${stat.size} ${stat.mtimeMs}`);
  return hash('sha256', lines.join('\n'), 'base64url');
}

/** @throws Error if the folder has no such file. */
export function checkThere(dataDir: string, path: string): void {
  if (existsSync(path)) return;
  throw new Error(
    `There is nothing to move in ${dataDir}: ${path} is missing. Set MILLRACE_DATA_DIR (or --data-dir) to the data folder of the service.`,
  );
}

/** @throws Error if a file of the folder's list is missing, or one was put back. A start of the service checks the same. */
export function checkAllThere(dataDir: string, live: DatabaseSync, partitions: readonly PartitionInfo[]): void {
  const manifest = new Manifest(live);
  const missing = manifest
    .files()
    .filter((file) => !existsSync(join(dataDir, file)))
    .map((file) => `${file} is missing`);
  const troubles = [...missing, ...droppedBefore(partitions, manifest).map(putBack)];
  if (troubles.length > 0) throw notWhole(dataDir, troubles);
}

/** @throws Error if the file belongs to another folder. A file that was made at the moment of a crash names no folder, and is accepted. */
export function checkOwn(dataDir: string, live: DatabaseSync, db: DatabaseSync, path: string): void {
  const folder = folderOf(db);
  if (folder === null || folder === folderOf(live)) return;
  throw notWhole(dataDir, [`${basename(path)} belongs to another data folder`]);
}

/** @throws Error if another version made the file, so that its tables differ from those that `make` makes. */
export function checkTables(db: DatabaseSync, path: string, make: (db: DatabaseSync) => void): void {
  const expected = new DatabaseSync(':memory:');
  make(expected);
  const [must, is] = [columnsIn(expected), columnsIn(db)];
  expected.close();
  const missing = [...must].find((column) => !is.has(column));
  if (missing !== undefined) {
    throw new Error(
      `${path} was made by an older version (it lacks ${missing}). Start this version's service on the folder once, stop it, and move it then.`,
    );
  }
  const unknown = [...is].find((column) => !must.has(column));
  if (unknown !== undefined) {
    throw new Error(
      `${path} was made by a newer version (it has ${unknown}, which this one does not know). Move it with that version.`,
    );
  }
}

function columnsIn(db: DatabaseSync): Set<string> {
  const rows = db
    .prepare(
      `SELECT t.name || '.' || c.name AS name FROM sqlite_master t JOIN pragma_table_info(t.name) c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
  return new Set(rows.map(({ name }) => String(name)));
}
