import type { DatabaseSync } from 'node:sqlite';
import { type Statement, sql } from '../relational/sql.ts';

/** Notes that data of users was removed from `millrace.db`. Runs in the transaction that removes it. */
export const TO_REWRITE: Statement = sql`DELETE FROM documents WHERE kind = 'service' AND id = 'rewritten'`;

/**
 * Rewrites `millrace.db`, unless no data of users was removed from it since the last time. Rows move when their page is full,
 * and leave copies in the old places. Partitions need no rewrite: their rows with data of users are only added at the end, and
 * never move.
 */
export function rewrite(db: DatabaseSync): void {
  if (db.prepare("SELECT 1 FROM documents WHERE kind = 'service' AND id = 'rewritten'").get()) return;
  db.exec('VACUUM');
  db.exec("INSERT INTO documents (kind, id, document) VALUES ('service', 'rewritten', '{}')");
}
