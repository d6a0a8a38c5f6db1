import type { PersonUnion, Unjoined } from '../../people/contract.ts';
import { LATER_COUNTS, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** How many events a person gains, and the characters of their properties. */
export interface Given {
  readonly person: number;
  readonly events: number;
  readonly characters: number;
}

/**
 * Moves the facts of persons who end to the persons whom they become part of; see ProfileWriter.unite. Their other rows and
 * decided values are left to the caller. Answers which events each staying person gained.
 */
export async function unitePersons(
  { among, pairs, read, tables }: ProfileSql,
  unions: readonly PersonUnion[],
): Promise<readonly Given[]> {
  const united = pairs(unions.map(({ from, into }) => [from, into]));
  /** Rows `o` of a table that belong to ending persons. `u.ending` is that person, `u.staying` the one who stays. */
  const theirs = (table: Statement): Statement =>
    sql`${united} AS u CROSS JOIN ${table} AS o WHERE o.person = u.ending`;
  await read(
    sql`UPDATE ${tables.identities} AS i SET person = u.staying FROM ${united} AS u WHERE i.person = u.ending`,
  );
  await read(
    sql`INSERT INTO ${tables.seen} (person, source) SELECT u.staying, o.source FROM ${theirs(tables.seen)}
      ON CONFLICT DO NOTHING`,
  );
  const latestFirst = sql`PARTITION BY u.staying, o.name ORDER BY o.at DESC, o.position DESC`;
  await read(
    sql`INSERT INTO ${tables.traits} AS t (person, name, value, at, position)
      SELECT person, name, value, at, position FROM (
        SELECT u.staying AS person, o.name, o.value, o.at, o.position, row_number() OVER (${latestFirst}) AS place
        FROM ${theirs(tables.traits)}) AS said WHERE place = 1 ON CONFLICT (person, name) DO ${LATER_COUNTS_SQL}`,
  );
  await read(
    sql`INSERT INTO ${tables.memberships} (person, grp) SELECT u.staying, o.grp FROM ${theirs(tables.memberships)}
      ON CONFLICT DO NOTHING`,
  );
  const given = await read<Given>(
    sql`SELECT u.staying AS person, count(*) AS events, sum(length(o.properties)) AS characters
      FROM ${theirs(tables.events)} GROUP BY u.staying`,
  );
  await read(
    sql`INSERT INTO ${tables.events} (person, at, message_id, kind, properties)
      SELECT u.staying, o.at, o.message_id, o.kind, o.properties FROM ${theirs(tables.events)} ON CONFLICT DO NOTHING`,
  );
  const ending = unions.map(({ from }) => from);
  await read(sql`DELETE FROM ${tables.events} WHERE ${among(sql`person`, ending)}`);
  return given;
}

/**
 * The ids that were not joined to ending persons, for the persons who stay. Rows of the same id come oldest first, so the
 * newest wins when they are stored.
 */
export async function unjoinedOf(
  { fromText, pairs, read, tables }: ProfileSql,
  unions: readonly PersonUnion[],
): Promise<readonly Unjoined[]> {
  const united = pairs(unions.map(({ from, into }) => [from, into]));
  const rows = await read<{ person: number; id: string; source: string; why: Unjoined['why']; at: number }>(
    sql`SELECT u.staying AS person, o.id, o.source, o.why, o.at FROM ${united} AS u CROSS JOIN ${tables.unjoined} AS o
      WHERE o.person = u.ending ORDER BY o.at`,
  );
  return rows.map(({ person, id, source, why, at }) => ({
    ...{ person, id: fromText(id), sourceId: fromText(source), why, at },
  }));
}

const LATER_COUNTS_SQL: Statement = { text: LATER_COUNTS, values: [] };
