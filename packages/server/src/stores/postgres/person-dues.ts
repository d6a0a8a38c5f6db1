import { readNumberMap, writeNumberMap } from '../../people/number-map.ts';
import type { Queries } from './database.ts';
import { insertRows } from './text.ts';

/**
 * Changes the dues of persons. Writes nothing if `change` changes nothing. One row per person: an index entry per definition
 * would be moved by nearly every event, and cost more than the rest of the event's changes.
 */
export async function changeDues(
  queries: Queries,
  persons: Iterable<number>,
  change: (dues: Map<number, number>, person: number) => void,
): Promise<void> {
  const all = [...new Set(persons)];
  if (all.length === 0) return;
  const rows = await queries.query<{ person: number; dues: string }>(
    'SELECT person, dues FROM profile_dues WHERE person = ANY($1::bigint[])',
    [all],
  );
  const before = new Map(rows.map(({ person, dues }) => [person, dues]));
  const gone: number[] = [];
  const put: { person: number; at: number; dues: string }[] = [];
  for (const person of all) {
    const json = before.get(person);
    const dues = readNumberMap<number>(json ?? '[]');
    change(dues, person);
    const after = writeNumberMap(dues);
    if (dues.size > 0 && after !== json) put.push({ person, at: Math.min(...dues.values()), dues: after });
    else if (dues.size === 0 && json !== undefined) gone.push(person);
  }
  if (gone.length > 0) await queries.query('DELETE FROM profile_dues WHERE person = ANY($1::bigint[])', [gone]);
  const replace = 'ON CONFLICT (person) DO UPDATE SET at = excluded.at, dues = excluded.dues';
  await insertRows(queries, 'profile_dues', put, replace);
}
