import type { DatabaseSync } from 'node:sqlite';
import type { Stretch } from '../../core/position.ts';
import type { Loss } from '../../log/contract.ts';
import { transaction } from './database.ts';
import { rowsOf } from './statements.ts';

/** A table in every file of a data folder: the id of the folder to which the file belongs. */
export const FOLDER_SCHEMA = 'CREATE TABLE IF NOT EXISTS folder (id TEXT NOT NULL);';

/**
 * - `kept_files`: the files that the folder must contain beside `millrace.db`, by name. Earlier versions kept no such list: it
 *   counts only once `made` has a row.
 * - `losses`: ranges of seqs whose events were confirmed and are lost. `accepted` is what each source, by number, had accepted
 *   by then, as far as any file knows. `settled`: its waiting messages are counted as failed.
 */
export const MANIFEST_SCHEMA: string = `
${FOLDER_SCHEMA}
CREATE TABLE IF NOT EXISTS kept_files (file TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS made (only INTEGER PRIMARY KEY CHECK (only = 1));
CREATE TABLE IF NOT EXISTS losses (
  id INTEGER PRIMARY KEY AUTOINCREMENT, found_at INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
  what TEXT NOT NULL, accepted TEXT NOT NULL, settled INTEGER NOT NULL DEFAULT 0, noted_at INTEGER);`;

/** Lost or expired events. */
export type Gap = Stretch;

export interface NewLoss extends Gap {
  readonly what: string;
  readonly accepted: ReadonlyMap<number, number>;
}

/** Which files a data folder must contain, and what it has lost; stored in `millrace.db`. */
export class Manifest {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The folder's id; null if it has none yet. */
  get id(): string | null {
    return folderOf(this.#db);
  }

  /** Whether the list of files was ever complete. */
  get isMade(): boolean {
    return this.#db.prepare('SELECT 1 FROM made').get() !== undefined;
  }

  begin(id: string): void {
    claim(this.#db, id, true);
  }

  /** Marks the list of files as complete: from now on, a file that is not there is missing. */
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

  /** Whether lost messages still count as waiting. */
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

  /** Ranges of seqs that no file contains: lost events, and events that retention removed. */
  gaps(): Gap[] {
    return rowsOf(
      this.#db,
      'SELECT first, last FROM losses UNION ALL SELECT first, last FROM expired ORDER BY first, last',
    );
  }

  /** Notes a range that retention removed. An empty one is ignored: a partition without events begins where the next one begins. */
  addGap({ first, last }: Gap): void {
    if (last < first) return;
    this.#db.prepare('INSERT INTO expired (first, last) VALUES (?, ?)').run(first, last);
  }

  /** The oldest file begins at `first`: of the gaps before it one is left, by which a file that is put back is known. */
  beginAt(first: number): void {
    const before = this.#db
      .prepare('SELECT min(first) AS first, max(last) AS last FROM expired WHERE last < ?')
      .get(first);
    transaction(this.#db, () => {
      this.#db.prepare('DELETE FROM expired WHERE last < ?').run(first);
      if (before?.['last'] != null) this.addGap({ first: Number(before['first']), last: Number(before['last']) });
    });
  }

  /** The least that each source has accepted, by number, according to the losses. */
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

/** Whether a file belongs to the folder `id`. If the file names no folder and `mayAdopt` is true, it becomes the folder's own. */
export function claim(db: DatabaseSync, id: string, mayAdopt: boolean): boolean {
  const own = folderOf(db);
  if (own !== null) return own === id;
  if (mayAdopt) db.prepare('INSERT INTO folder (id) VALUES (?)').run(id);
  return mayAdopt;
}

/** The folder that a file names; null if it names none. */
export function folderOf(db: DatabaseSync): string | null {
  return rowsOf<{ readonly id: string }>(db, 'SELECT id FROM folder')[0]?.id ?? null;
}
