import type { Queries } from './database.ts';
import { toText } from './text.ts';

export type DocumentKind = 'source' | 'destination' | 'replay' | 'loss';

/** Keeps a document of the service's own unless there is one under this id; answers the one that is kept. */
export async function keepOnce(queries: Queries, id: string, document: string): Promise<string> {
  await queries.query(`INSERT INTO documents (kind, id, document) VALUES ('service', $1, $2) ON CONFLICT DO NOTHING`, [
    id,
    document,
  ]);
  const [row] = await queries.query<{ document: string }>(
    `SELECT document FROM documents WHERE kind = 'service' AND id = $1`,
    [id],
  );
  return row?.document ?? document;
}

/** All documents of a kind, by id. */
export async function documents<T>(queries: Queries, kind: DocumentKind): Promise<T[]> {
  const sql = 'SELECT document FROM documents WHERE kind = $1 ORDER BY id';
  const rows = await queries.query<{ document: string }>(sql, [kind]);
  return rows.map(({ document }) => JSON.parse(document) as T);
}

/** One of them, held for the rest of the transaction; undefined when there is none. */
export async function lockDocument<T>(queries: Queries, kind: DocumentKind, id: string): Promise<T | undefined> {
  const [row] = await queries.query<{ document: string }>(
    'SELECT document FROM documents WHERE kind = $1 AND id = $2 FOR UPDATE',
    [kind, toText(id)],
  );
  return row && (JSON.parse(row.document) as T);
}

/** Answers false, and changes nothing, when there is one under this id. */
export async function addDocument(
  queries: Queries,
  kind: DocumentKind,
  id: string,
  document: object,
): Promise<boolean> {
  const rows = await queries.query(
    'INSERT INTO documents (kind, id, document) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING id',
    [kind, toText(id), JSON.stringify(document)],
  );
  return rows.length > 0;
}

/** Adds or replaces one. */
export async function putDocument(queries: Queries, kind: DocumentKind, id: string, document: object): Promise<void> {
  await queries.query(
    `INSERT INTO documents (kind, id, document) VALUES ($1, $2, $3)
     ON CONFLICT (kind, id) DO UPDATE SET document = excluded.document`,
    [kind, toText(id), JSON.stringify(document)],
  );
}

export async function deleteDocument(queries: Queries, kind: DocumentKind, id: string): Promise<void> {
  await queries.query('DELETE FROM documents WHERE kind = $1 AND id = $2', [kind, toText(id)]);
}
