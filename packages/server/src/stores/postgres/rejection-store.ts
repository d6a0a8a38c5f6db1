import { groupId, MOST_GROUPS, type RejectionGroup } from '../../core/rejection.ts';
import type { RejectionStore } from '../../record/contract.ts';
import type { Database } from './database.ts';
import { toText } from './text.ts';

/** Refused calls of all nodes by what is alike; an empty `source` is that of keys that name none. */
export const REJECTIONS = `
CREATE TABLE rejections (
  id text COLLATE "C" PRIMARY KEY, source text COLLATE "C" NOT NULL, count bigint NOT NULL, first_at bigint NOT NULL,
  last_at bigint NOT NULL, document text NOT NULL);
CREATE INDEX rejections_by_source ON rejections (source, last_at);
CREATE INDEX rejections_by_time ON rejections (last_at);
`;

const ADD = `INSERT INTO rejections AS r (id, source, count, first_at, last_at, document)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[]) ORDER BY 1
  ON CONFLICT (id) DO UPDATE SET count = r.count + excluded.count, first_at = least(r.first_at, excluded.first_at),
  last_at = greatest(r.last_at, excluded.last_at), document = excluded.document`;

const BOUND = `DELETE FROM rejections WHERE id IN (SELECT id FROM (
  SELECT id, row_number() OVER (PARTITION BY source ORDER BY last_at DESC, id) AS place FROM rejections
  WHERE source = ANY($1::text[])) placed WHERE place > ${MOST_GROUPS})`;

type Words = Omit<RejectionGroup, 'sourceId' | 'count' | 'firstAt' | 'lastAt'>;

interface GroupRow {
  readonly source: string;
  readonly count: number;
  readonly first_at: number;
  readonly last_at: number;
  readonly document: string;
}

/** See record/contract.ts for what it promises. Rows are written in the order of their ids: nodes that do so never wait in a circle. */
export class PostgresRejectionStore implements RejectionStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(groups: readonly RejectionGroup[], before: number): Promise<void> {
    const sources = groups.map(({ sourceId }) => sourceId ?? '');
    await this.#database.transaction(async (queries) => {
      await queries.query('SET LOCAL synchronous_commit = off');
      await queries.query('DELETE FROM rejections WHERE last_at < $1', [before]);
      await queries.query(ADD, [
        groups.map((group) => toText(groupId(group))),
        sources,
        groups.map(({ count }) => count),
        groups.map(({ firstAt }) => firstAt),
        groups.map(({ lastAt }) => lastAt),
        groups.map(({ sourceId: _, count: __, firstAt: ___, lastAt: ____, ...words }) => documentOf(words)),
      ]);
      await queries.query(BOUND, [[...new Set(sources)]]);
    });
  }

  async groups(sourceId: string | null): Promise<readonly RejectionGroup[]> {
    const rows = await this.#database.query<GroupRow>(
      'SELECT * FROM rejections WHERE $1::text IS NULL OR source = $1 ORDER BY last_at DESC, id',
      [sourceId],
    );
    return rows.map(({ source, count, document, ...times }) => ({
      ...(JSON.parse(document) as Words),
      sourceId: source || null,
      count,
      firstAt: times.first_at,
      lastAt: times.last_at,
    }));
  }

  async removeExamples(groups: readonly RejectionGroup[]): Promise<void> {
    if (groups.length === 0) return;
    const without = groups.map(({ sourceId: _, count: __, firstAt: ___, lastAt: ____, ...words }) =>
      documentOf({ ...words, example: '' }),
    );
    await this.#database.query(
      `UPDATE rejections r SET document = g.document FROM unnest($1::text[], $2::text[]) g(id, document) WHERE r.id = g.id`,
      [groups.map((group) => toText(groupId(group))), without],
    );
    // What the rows were is left in the file else.
    await this.#database.query('VACUUM FULL rejections');
  }
}

/** As JSON.stringify writes it, all text that PostgreSQL can't hold is escaped. */
function documentOf(words: Words): string {
  return JSON.stringify(words);
}
