import type { DatabaseSync } from 'node:sqlite';
import { type Statement, sql } from '../relational/sql.ts';

/** Notes that something of users was removed from `millrace.db`, in the transaction that removes it. */
export const TO_REWRITE: Statement = sql`DELETE FROM documents WHERE kind = 'service' AND id = 'rewritten'`;

/**
 * Writes `millrace.db` anew, unless nothing of users was removed from it since it was last: a row that moves when its page is full
 * leaves a copy in the old place. The rows of a partition that hold something of users are only added at its end, and none moves.
 */
export function rewrite(db: DatabaseSync): void {
  if (db.prepare("SELECT 1 FROM documents WHERE kind = 'service' AND id = 'rewritten'").get()) return;
  db.exec('VACUUM');
  db.exec("INSERT INTO documents (kind, id, document) VALUES ('service', 'rewritten', '{}')");
}
