import { groupId, MOST_GROUPS, type RejectionGroup } from '../../core/rejection.ts';
import type { RejectionStore } from '../../record/contract.ts';
import { inserting, json, list, type Sql, type Statement, sql } from './sql.ts';

type Words = Omit<RejectionGroup, 'sourceId' | 'count' | 'firstAt' | 'lastAt'>;

interface GroupRow extends Pick<RejectionGroup, 'count' | 'firstAt' | 'lastAt'> {
  readonly source: string;
  readonly document: string;
}

/**
 * Groups of refused calls that are alike. An empty `source` stands for write keys that belong to no source. See
 * record/contract.ts for its promises.
 */
export function rejectionStore(database: Sql): RejectionStore {
  const { dialect } = database;
  return {
    async add(groups) {
      const rows = groups.map((group) => {
        const { sourceId, count, firstAt, lastAt } = group;
        return [groupId(group), sourceId ?? '', count, firstAt, lastAt, json(wordsOf(group))] as const;
      });
      // All processes write rows in the same order, so they can't deadlock.
      rows.sort(([a], [b]) => (a < b ? -1 : 1));
      await database.write(
        [...inserting(rows, counting), ...bounding([...new Set(rows.map(([, source]) => source))])],
        { unsynced: true },
      );
    },
    async groups(sourceId, most) {
      const of = sourceId === null ? sql`` : sql`WHERE source = ${sourceId}`;
      const limit = most === undefined ? sql`` : sql`LIMIT ${most}`;
      const rows = await database.read<GroupRow>(
        sql`SELECT source, count, first_at AS "firstAt", last_at AS "lastAt", document FROM rejections ${of} ORDER BY last_at DESC, id ${limit}`,
      );
      return rows.map(({ source, document, ...counted }) => ({
        ...(JSON.parse(document) as Words),
        sourceId: dialect.fromText(source) || null,
        ...counted,
      }));
    },
    async removeExamples(groups) {
      const statements = groups.map((group) => {
        const without = json({ ...wordsOf(group), example: '' });
        return sql`UPDATE rejections SET document = ${without} WHERE id = ${groupId(group)}`;
      });
      // Runs without groups too: an example of these users may have been overwritten, and its old row is still in the file.
      await database.write(statements, { erases: ['rejections'] });
    },
  };
}

/** Adds groups to those that are there. */
function counting(values: Statement): Statement {
  return sql`INSERT INTO rejections AS r (id, source, count, first_at, last_at, document) VALUES ${values}
    ON CONFLICT (id) DO UPDATE SET count = r.count + excluded.count,
      first_at = CASE WHEN excluded.first_at < r.first_at THEN excluded.first_at ELSE r.first_at END,
      last_at = CASE WHEN excluded.last_at > r.last_at THEN excluded.last_at ELSE r.last_at END,
      document = excluded.document`;
}

/** Deletes the groups that were not seen since a time. */
export async function expireRejections(database: Sql, before: number): Promise<void> {
  await database.write([sql`DELETE FROM rejections WHERE last_at < ${before}`], { unsynced: true });
}

function wordsOf({ sourceId: _, count: __, firstAt: ___, lastAt: ____, ...words }: RejectionGroup): Words {
  return words;
}

/** Deletes groups of these sources beyond `MOST_GROUPS`, those seen longest ago first. */
function bounding(sources: readonly string[]): Statement[] {
  if (sources.length === 0) return [];
  return [
    sql`DELETE FROM rejections WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER (PARTITION BY source ORDER BY last_at DESC, id) AS place FROM rejections
      WHERE source IN (${list(sources)})) placed WHERE place > ${MOST_GROUPS})`,
  ];
}
