import type { Thread } from '../../threads/thread.ts';
import { type Dialect, type Sql, type Statement, sql } from '../relational/sql.ts';
import type { Reader } from './reader.ts';
import { TO_REWRITE } from './rewriting.ts';
import { bound } from './statements.ts';
import { packCounts, unpackCounts } from './stats-functions.ts';
import type { Writer } from './writer.ts';

export const SQLITE: Dialect = {
  hashed: (text) => text,
  toText: (text) => text,
  fromText: (text) => text,
  packed: packCounts,
  sumOfCounts: sql`sum_counts(latency)`,
  unpacked: (sum) => unpackCounts(sum as Uint8Array),
  allTallies: sql`group_concat(attempts, char(10))`,
};

/**
 * The tables of `millrace.db` for stores/relational. Batches run on the writer's thread. Reads run on the thread of people's
 * queries, so that attempts with wrong secrets cost the writer nothing.
 */
export function sqliteSql(writer: Thread<Writer>, queryReader: Thread<Reader>): Sql {
  return {
    dialect: SQLITE,
    read: <Row extends object>(statement: Statement) => queryReader.remote.read(bound(statement)) as Promise<Row[]>,
    async write(statements, { unsynced = false, erases = [] } = {}) {
      const all = erases.length === 0 ? statements : [...statements, TO_REWRITE];
      const rows = await writer.remote.write(all.map(bound), unsynced);
      return rows.slice(0, statements.length);
    },
  };
}
