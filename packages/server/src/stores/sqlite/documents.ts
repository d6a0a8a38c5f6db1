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

  /** Creates revision 1, or replaces the one before; answers false when that is not what is there. */
  putVersion(table: DocumentTable, id: string, revision: number, json: string): boolean {
    const sql =
      revision === 1
        ? `INSERT INTO ${table} (id, json) VALUES (?1, ?2) ON CONFLICT DO NOTHING`
        : `UPDATE ${table} SET json = ?2 WHERE id = ?1 AND coalesce(json ->> 'revision', 1) = ?3 - 1`;
    return this.#db.prepare(sql).run(...[id, json, ...(revision === 1 ? [] : [revision])]).changes > 0;
  }

  /** Answers false when it is there under another revision; null takes any. */
  deleteVersion(table: DocumentTable, id: string, revision: number | null): boolean {
    this.#db
      .prepare(
        `DELETE FROM ${table} WHERE id = ?1 AND coalesce(json ->> 'revision', 1) = coalesce(?2, json ->> 'revision', 1)`,
      )
      .run(id, revision);
    return this.#db.prepare(`SELECT 1 FROM ${table} WHERE id = ?`).get(id) === undefined;
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
