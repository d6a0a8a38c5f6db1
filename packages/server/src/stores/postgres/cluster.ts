import { randomUUID } from 'node:crypto';
import { keepOnce } from '../relational/documents.ts';
import type { Sql } from '../relational/sql.ts';
import type { Queries } from './database.ts';

/** See StreamOwner.cluster. The first process that asks for it gives the database one. */
export function clusterId(sql: Sql): Promise<string> {
  return keepOnce(sql, 'cluster', randomUUID());
}

/** Whether a cluster has its settings or events in the database. */
export async function isUsed(queries: Queries): Promise<boolean> {
  const [row] = await queries.query<{ used: boolean }>(`SELECT ${USED} AS used`);
  return row?.used ?? false;
}

const USED = [
  ...['names', 'accounts', 'invites', 'tokens', 'regulations', 'suppressions', 'events', 'lanes'],
  // A node that was only started has rows in these tables.
  ...['audit', 'sessions', 'profile_words', 'profile_identities'],
  `documents WHERE kind <> 'service'`,
]
  .map((table) => `EXISTS (SELECT FROM ${table})`)
  .join(' OR ');
