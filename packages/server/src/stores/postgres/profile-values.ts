import type { Queries } from './database.ts';
import { columnsOf } from './text.ts';

/** What was decided of a person under a definition; null for nothing. */
export interface DecidedValue {
  readonly person: number;
  readonly definition: number;
  readonly value: string | null;
}

/** Keeps what was decided at a time, which is when those joined who had no value before. */
export async function putValues(queries: Queries, values: readonly DecidedValue[], at: number): Promise<void> {
  const gone = values.filter(({ value }) => value === null);
  if (gone.length > 0) {
    await queries.query(
      `DELETE FROM profile_values v USING unnest($1::bigint[], $2::int[]) AS g(person, definition)
       WHERE v.person = g.person AND v.definition = g.definition`,
      columnsOf(gone, 'person', 'definition'),
    );
  }
  const put = values.filter(({ value }) => value !== null);
  if (put.length === 0) return;
  await queries.query(
    `INSERT INTO profile_values (person, definition, value, since)
     SELECT v.*, $4::bigint FROM unnest($1::bigint[], $2::int[], $3::text[]) v
     ON CONFLICT (person, definition) DO UPDATE SET value = excluded.value`,
    [...columnsOf(put, 'person', 'definition', 'value'), at],
  );
}
