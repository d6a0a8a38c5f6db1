import { createHash } from 'node:crypto';
import type { Regulation, RegulationStore, Subject, Suppression } from '../../regulations/contract.ts';
import type { Database, Queries } from './database.ts';
import { markWholeStale } from './erasing.ts';
import type { Listener } from './listener.ts';
import { fromText, toText } from './text.ts';

/** The channel that tells every node that a regulation began or is gone, and of a change of suppressions. */
const CHANNEL = 'millrace_regulations';

const NOTIFY = `SELECT pg_notify('${CHANNEL}', '')`;

/** Regulations and suppressions in PostgreSQL: documents, and each user of one a document beside it. */
export class PostgresRegulationStore implements RegulationStore {
  readonly #database: Database;
  readonly #listener: Listener;

  constructor(database: Database, listener: Listener) {
    this.#database = database;
    this.#listener = listener;
  }

  async create(regulation: Regulation, userIds: readonly string[]): Promise<void> {
    await this.#database.transaction(async (queries) => {
      await queries.query('INSERT INTO regulations (id, created_at, document) VALUES ($1, $2, $3)', rowOf(regulation));
      await queries.query(NOTIFY);
      await putSubjects(
        queries,
        regulation.id,
        userIds.map((userId, place) => ({ place, userId, sources: [] })),
      );
      if (regulation.regulationType !== 'SUPPRESS_WITH_DELETE') return;
      await queries.query(
        `INSERT INTO suppressions (user_key, user_id, since)
         SELECT key, id, $3 FROM unnest($1::text[], $2::text[]) u(key, id) ORDER BY key ON CONFLICT DO NOTHING`,
        [userIds.map(userKey), userIds.map(toText), regulation.createdAt],
      );
    });
  }

  async save(regulation: Regulation, subjects: readonly Subject[] = []): Promise<void> {
    await this.#database.transaction(async (queries) => {
      const there = await queries.query(
        'UPDATE regulations SET created_at = $2, document = $3 WHERE id = $1 RETURNING 1',
        rowOf(regulation),
      );
      if (there.length > 0) await putSubjects(queries, regulation.id, subjects);
    });
  }

  async regulations(): Promise<readonly Regulation[]> {
    return parsed<Regulation>(await this.#database.query('SELECT document FROM regulations ORDER BY created_at, id'));
  }

  async subjects(regulationId: string, from: number, limit: number): Promise<readonly Subject[]> {
    return parsed<Subject>(
      await this.#database.query(
        'SELECT document FROM regulation_subjects WHERE regulation = $1 AND place >= $2 ORDER BY place LIMIT $3',
        [toText(regulationId), from, limit],
      ),
    );
  }

  async delete(regulationId: string): Promise<void> {
    await this.#database.transaction(async (queries) => {
      await queries.query('DELETE FROM regulation_subjects WHERE regulation = $1', [toText(regulationId)]);
      await queries.query('DELETE FROM regulations WHERE id = $1', [toText(regulationId)]);
      await queries.query(NOTIFY);
      for (const table of ['regulation_subjects', 'regulations']) await markWholeStale(queries, table);
    });
  }

  lift(userId: string): Promise<boolean> {
    return this.#database.transaction(async (queries) => {
      await queries.query(NOTIFY);
      await markWholeStale(queries, 'suppressions');
      return (
        (await queries.query('DELETE FROM suppressions WHERE user_key = $1 RETURNING 1', [userKey(userId)])).length > 0
      );
    });
  }

  async suppressions(): Promise<readonly Suppression[]> {
    const rows = await this.#database.query<{ user_id: string; since: number }>(
      'SELECT user_id, since FROM suppressions ORDER BY user_id',
    );
    return rows.map(({ user_id, since }) => ({ userId: fromText(user_id), since }));
  }

  watch(changed: () => Promise<void>): () => void {
    return this.#listener.listen(CHANNEL, changed);
  }
}

/** What tells users apart: an id can be longer than a key of an index. */
export function userKey(userId: string): string {
  return createHash('sha256').update(toText(userId)).digest('base64url');
}

function rowOf(regulation: Regulation): unknown[] {
  return [toText(regulation.id), regulation.createdAt, JSON.stringify(regulation)];
}

async function putSubjects(queries: Queries, regulationId: string, subjects: readonly Subject[]): Promise<void> {
  await queries.query(
    `INSERT INTO regulation_subjects (regulation, place, document)
     SELECT $1, * FROM unnest($2::int[], $3::text[])
     ON CONFLICT (regulation, place) DO UPDATE SET document = excluded.document`,
    [toText(regulationId), subjects.map(({ place }) => place), subjects.map((subject) => JSON.stringify(subject))],
  );
}

function parsed<T>(rows: readonly { document?: string }[]): T[] {
  return rows.map(({ document }) => JSON.parse(document ?? '') as T);
}
