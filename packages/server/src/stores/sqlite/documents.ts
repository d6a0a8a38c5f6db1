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

  /** Keeps a replay unless the one that is kept is over otherwise; answers whether it is kept. */
  putReplay(id: string, json: string): boolean {
    const { changes } = this.#db
      .prepare(
        `INSERT INTO replays (id, json) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET json = excluded.json
         WHERE replays.json ->> 'status' = 'running' OR replays.json ->> 'status' = excluded.json ->> 'status'`,
      )
      .run(id, json);
    return changes > 0;
  }

  delete(table: DocumentTable, id: string): void {
    this.#db.prepare(`DELETE FROM ${table} WHERE id = ?`).run(id);
  }
}
