import type { DatabaseSync } from 'node:sqlite';
import type { Loss } from '../../log/contract.ts';
import { rowsOf } from './statements.ts';

/** In every file of a data folder: which folder it belongs to. */
export const FOLDER_SCHEMA = 'CREATE TABLE IF NOT EXISTS folder (id TEXT NOT NULL);';

/**
 * - `kept_files`: what the folder must hold beside `millrace.db`, by file name. A folder of a version that kept no such list has
 *   none until `made` says that the list is whole.
 * - `losses`: events that were confirmed and are gone, as ranges of seqs; `accepted` is what each source had accepted by then,
 *   as far as any file knows, by its number; `settled` says that what waited of them counts as failed.
 */
export const MANIFEST_SCHEMA: string = `
${FOLDER_SCHEMA}
CREATE TABLE IF NOT EXISTS kept_files (file TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS made (only INTEGER PRIMARY KEY CHECK (only = 1));
CREATE TABLE IF NOT EXISTS losses (
  id INTEGER PRIMARY KEY AUTOINCREMENT, found_at INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  what TEXT NOT NULL, accepted TEXT NOT NULL, settled INTEGER NOT NULL DEFAULT 0, noted_at INTEGER);`;

/** Events from `first` to `last`, both included, that are gone. None where `last` lies before `first`. */
export interface Gap {
  readonly first: number;
  readonly last: number;
}

export interface NewLoss extends Gap {
  readonly what: string;
  readonly accepted: ReadonlyMap<number, number>;
}

/** What a data folder must hold, and what it has lost; in `millrace.db`. */
export class Manifest {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Null in a folder that has none yet. */
  get id(): string | null {
    return folderOf(this.#db);
  }

  /** Whether the list of files was ever whole. */
  get isMade(): boolean {
    return this.#db.prepare('SELECT 1 FROM made').get() !== undefined;
  }

  begin(id: string): void {
    claim(this.#db, id, true);
  }

  /** From now on a file that is not there is missing. */
  made(files: readonly string[]): void {
    for (const file of files) this.keep(file);
    this.#db.exec('INSERT INTO made (only) VALUES (1) ON CONFLICT DO NOTHING');
  }

  files(): string[] {
    return rowsOf<{ readonly file: string }>(this.#db, 'SELECT file FROM kept_files').map(({ file }) => file);
  }

  keep(file: string): void {
    this.#db.prepare('INSERT INTO kept_files (file) VALUES (?) ON CONFLICT DO NOTHING').run(file);
  }

  forget(file: string): void {
    this.#db.prepare('DELETE FROM kept_files WHERE file = ?').run(file);
  }

  addLoss({ first, last, what, accepted }: NewLoss, now: number): void {
    this.#db
      .prepare('INSERT INTO losses (found_at, first, last, what, accepted) VALUES (?, ?, ?, ?, ?)')
      .run(now, first, last, what, JSON.stringify([...accepted]));
  }

  losses(): Loss[] {
    return rowsOf(
      this.#db,
      `SELECT CAST(id AS TEXT) AS id, found_at AS foundAt, max(0, last - first + 1) AS events, what, noted_at AS notedAt
       FROM losses ORDER BY losses.id`,
    );
  }

  /** Whether the lanes' counts still have losses among what waits. */
  hasUnsettled(): boolean {
    return this.#db.prepare('SELECT min(settled) AS settled FROM losses').get()?.['settled'] === 0;
  }

  settleLosses(): void {
    this.#db.exec('UPDATE losses SET settled = 1');
  }

  noteLoss(id: string, now: number): boolean {
    const { changes } = this.#db
      .prepare('UPDATE losses SET noted_at = coalesce(noted_at, ?) WHERE id = ?')
      .run(now, Number(id));
    return changes > 0;
  }

  /** What is known to be in no file: what was lost, and what retention removed. */
  gaps(): Gap[] {
    return rowsOf(
      this.#db,
      'SELECT first, last FROM losses UNION ALL SELECT first, last FROM expired ORDER BY first, last',
    );
  }

  /** Retention has removed these, where there were any: a partition that took no event begins where the next one does. */
  addGap({ first, last }: Gap): void {
    if (last < first) return;
    this.#db.prepare('INSERT INTO expired (first, last) VALUES (?, ?)').run(first, last);
  }

  /** The oldest file begins here: there is no gap before it. */
  beginAt(first: number): void {
    this.#db.prepare('DELETE FROM expired WHERE last < ?').run(first);
  }

  /** What each source had accepted at least, by its number, as the losses say. */
  acceptedAtLeast(): Map<number, number> {
    const sums = new Map<number, number>();
    for (const { accepted } of rowsOf<{ readonly accepted: string }>(this.#db, 'SELECT accepted FROM losses')) {
      for (const [source, count] of JSON.parse(accepted) as [number, number][]) {
        sums.set(source, Math.max(count, sums.get(source) ?? 0));
      }
    }
    return sums;
  }
}

/** Whether a file belongs to the folder `id`. One that names none is made its own where it may be. */
export function claim(db: DatabaseSync, id: string, mayAdopt: boolean): boolean {
  const own = folderOf(db);
  if (own !== null) return own === id;
  if (mayAdopt) db.prepare('INSERT INTO folder (id) VALUES (?)').run(id);
  return mayAdopt;
}

/** The folder a file says that it belongs to; null for none. */
export function folderOf(db: DatabaseSync): string | null {
  return rowsOf<{ readonly id: string }>(db, 'SELECT id FROM folder')[0]?.id ?? null;
}
