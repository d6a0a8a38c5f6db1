import type { PersonUnion, Unjoined } from '../../people/contract.ts';
import { LATER_COUNTS, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** Events that a person is given, and the characters of their properties. */
export interface Given {
  readonly person: number;
  readonly events: number;
  readonly characters: number;
}

/**
 * Gives what is known of persons to those whom they become part of; see ProfileWriter.unite. What is left of them, and what was
 * decided of them, is the caller's. Answers what events each was given.
 */
export async function unitePersons(
  { among, pairs, read, tables }: ProfileSql,
  unions: readonly PersonUnion[],
): Promise<readonly Given[]> {
  const united = pairs(unions.map(({ from, into }) => [from, into]));
  /** Rows `o` of a table of the persons who end; `u` says who that is and who stays. */
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

/** The ids that were not joined to persons who end, for those whom they become part of: of one id the newest. */
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
