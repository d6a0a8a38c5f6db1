import type { DatabaseSync } from 'node:sqlite';

export type DocumentTable = 'sources' | 'destinations' | 'replays';

/** Documents of `millrace.db` (settings, replays), each a row of JSON. */
export class Documents {
  readonly #db: DatabaseSync;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  all(table: DocumentTable): string[] {
    return this.#db
      .prepare(`SELECT json FROM ${table}`)
      .all()
      .map((row) => String(row['json']));
  }

  put(table: DocumentTable, id: string, json: string): void {
    this.#db.prepare(`INSERT OR REPLACE INTO ${table} (id, json) VALUES (?, ?)`).run(id, json);
  }

  delete(table: DocumentTable, id: string): void {
    this.#db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  }
}
