import type { DeliveryStore, Replay } from '../../record/contract.ts';
import { type BatchOptions, json, list, piecesOf, type Sql, type Statement, sql, takesEffect } from './sql.ts';

export type DocumentKind =
  | 'source'
  | 'destination'
  | 'replay'
  | 'loss'
  | 'service'
  | 'alerts'
  | 'incident'
  | 'ended incident'
  | 'snooze'
  | 'notice';

/** The documents that a statement selects, from any table. */
export async function readDocuments<T>(database: Pick<Sql, 'read'>, statement: Statement): Promise<T[]> {
  const rows = await database.read<DocumentRow>(statement);
  return rows.map(({ document }) => JSON.parse(document) as T);
}

/** All documents of a kind, by id, or only those for which a condition holds. */
export function documents<T>(database: Sql, kind: DocumentKind, only: Statement = sql`1 = 1`): Promise<T[]> {
  return readDocuments(database, sql`SELECT document FROM documents WHERE kind = ${kind} AND ${only} ORDER BY id`);
}

/**
 * Replaces a document by the result of `change`, and begins again when another change came between. `change` gets undefined if
 * there is no document. It returns undefined to delete the document, or null to leave it as it is. Answers whether it changed anything.
 */
export async function changeDocument<T>(
  database: Sql,
  kind: DocumentKind,
  id: string,
  change: (now: T | undefined) => T | undefined | null,
  options?: BatchOptions,
): Promise<boolean> {
  for (;;) {
    const [row] = await database.read<DocumentRow>(
      sql`SELECT document FROM documents WHERE kind = ${kind} AND id = ${id}`,
    );
    const next = change(row && (JSON.parse(row.document) as T));
    if (next === null || (next === undefined && !row)) return false;
    if (await takesEffect(database, changing(kind, id, row, next), options)) return true;
  }
}

/** Returns no row if the document has changed since it was read. */
function changing(kind: DocumentKind, id: string, before: DocumentRow | undefined, next: unknown): Statement {
  if (!before) {
    return sql`INSERT INTO documents (kind, id, document) VALUES (${kind}, ${id}, ${json(next)})
      ON CONFLICT DO NOTHING RETURNING id`;
  }
  const same = sql`kind = ${kind} AND id = ${id} AND document = ${{ json: before.document }}`;
  if (next === undefined) return sql`DELETE FROM documents WHERE ${same} RETURNING id`;
  return sql`UPDATE documents SET document = ${json(next)} WHERE ${same} RETURNING id`;
}

/** Stores a document of the service itself, unless this id has one already. Answers the stored one. */
export async function keepOnce(database: Sql, id: string, document: string): Promise<string> {
  await database.write([
    sql`INSERT INTO documents (kind, id, document) VALUES ('service', ${id}, ${{ json: document }}) ON CONFLICT DO NOTHING`,
  ]);
  const [row] = await database.read<DocumentRow>(
    sql`SELECT document FROM documents WHERE kind = 'service' AND id = ${id}`,
  );
  return row?.document ?? document;
}

/** See DeliveryStore.saveReplay. */
export async function saveReplay(database: Sql, replay: Replay): Promise<boolean> {
  let isTaken = true;
  const change = (now: Replay | undefined): Replay => {
    isTaken = !now || now.status === 'running' || now.status === replay.status;
    const { done, after } = now ?? replay;
    return {
      ...(now && !isTaken ? now : replay),
      done: Math.max(done, replay.done),
      after: Math.max(after, replay.after),
    };
  };
  // The document's earlier text may name a user.
  const erases = replay.filter.userId === null ? [] : ['documents'];
  await changeDocument(database, 'replay', replay.id, change, { erases });
  return isTaken;
}

export type WhichReplays = Parameters<DeliveryStore['replays']>[0];

/** See DeliveryStore.replays. No other text in the document can match the pattern of the status, because quotes inside a text are escaped. */
export function replays(database: Sql, which: WhichReplays): Promise<Replay[]> {
  if (which === undefined) return documents<Replay>(database, 'replay');
  return documents<Replay>(
    database,
    'replay',
    which === 'running' ? sql`document LIKE ${'%"status":"running"%'}` : sql`id = ${which.id}`,
  );
}

/** Deletes replays that have ended and began before a time: the events that they sent again are gone. Answers their ids. */
export async function expireReplays(database: Sql, before: number): Promise<readonly string[]> {
  const over = sql`document NOT LIKE ${'%"status":"running"%'}`;
  const old = (await documents<Replay>(database, 'replay', over)).filter(({ createdAt }) => createdAt < before);
  const erases = old.some(({ filter }) => filter.userId !== null) ? ['documents'] : [];
  const ids = old.map(({ id }) => id);
  for (const piece of piecesOf(ids)) {
    await database.write([sql`DELETE FROM documents WHERE kind = 'replay' AND id IN (${list(piece)})`], { erases });
  }
  return ids;
}

export interface DocumentRow {
  readonly document: string;
}
