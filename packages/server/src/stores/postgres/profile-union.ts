import type { PersonUnion } from '../../people/contract.ts';
import { LATER_COUNTS } from '../relational/profile-sql.ts';
import type { Queries } from './database.ts';

/** Events that a person was given, and the characters of their properties. */
export interface Given {
  readonly person: number;
  readonly events: number;
  readonly characters: number;
}

/** Makes persons one; see ProfileWriter.unite. Answers what events each of them was given. */
export async function unitePersons(queries: Queries, unions: readonly PersonUnion[]): Promise<readonly Given[]> {
  if (unions.length === 0) return [];
  const ending = unions.map(({ from }) => from);
  const staying = unions.map(({ into }) => into);
  for (const sql of [UNITE_IDENTITIES, UNITE_SEEN, UNITE_UNJOINED, UNITE_TRAITS, UNITE_GROUPS])
    await queries.query(sql, [ending, staying]);
  const moved = await queries.query<Given>(UNITE_EVENTS, [ending, staying]);
  await queries.query('DELETE FROM profile_events WHERE person = ANY($1::bigint[])', [ending]);
  await queries.query(UNITE_VALUES, [ending, staying]);
  await forgetPersons(queries, ending);
  return moved;
}

/** Forgets persons with what was decided of them, but not what they did. */
export async function forgetPersons(queries: Queries, persons: readonly number[]): Promise<void> {
  await queries.query(
    `UPDATE profile_definitions d SET size = d.size - g.persons FROM (
       SELECT definition, count(*) AS persons FROM profile_values WHERE person = ANY($1::bigint[]) GROUP BY definition) g
     WHERE d.number = g.definition`,
    [persons],
  );
  for (const table of ['identities', 'traits', 'memberships', 'values', 'dues', 'persons', 'unjoined', 'seen']) {
    await queries.query(`DELETE FROM profile_${table} WHERE person = ANY($1::bigint[])`, [persons]);
  }
}

const UNIONS = 'unnest($1::bigint[], $2::bigint[]) AS u(old, new)';

const UNITE_IDENTITIES = `UPDATE profile_identities i SET person = u.new FROM ${UNIONS} WHERE i.person = u.old`;

const UNITE_SEEN = `INSERT INTO profile_seen (person, source)
  SELECT u.new, s.source FROM ${UNIONS} JOIN profile_seen s ON s.person = u.old ON CONFLICT DO NOTHING`;

const UNITE_UNJOINED = `INSERT INTO profile_unjoined AS p (person, key, id, source, why, at)
  SELECT DISTINCT ON (u.new, o.key) u.new, o.key, o.id, o.source, o.why, o.at
  FROM ${UNIONS} JOIN profile_unjoined o ON o.person = u.old ORDER BY u.new, o.key, o.at DESC
  ON CONFLICT (person, key) DO UPDATE SET source = excluded.source, why = excluded.why, at = excluded.at
  WHERE excluded.at > p.at`;

const UNITE_TRAITS = `INSERT INTO profile_traits AS t (person, name, value, at, position)
  SELECT DISTINCT ON (u.new, o.name) u.new, o.name, o.value, o.at, o.position
  FROM ${UNIONS} JOIN profile_traits o ON o.person = u.old ORDER BY u.new, o.name, o.at DESC, o.position DESC
  ON CONFLICT (person, name) DO ${LATER_COUNTS}`;

const UNITE_GROUPS = `INSERT INTO profile_memberships (person, grp)
  SELECT u.new, m.grp FROM ${UNIONS} JOIN profile_memberships m ON m.person = u.old ON CONFLICT DO NOTHING`;

/** Who is a member of what since when stays known, until it is decided of both together. */
const UNITE_VALUES = `WITH moved AS (
    INSERT INTO profile_values (definition, person, since, value)
    SELECT DISTINCT ON (v.definition, u.new) v.definition, u.new, v.since, v.value
    FROM ${UNIONS} JOIN profile_values v ON v.person = u.old ORDER BY v.definition, u.new, v.since
    ON CONFLICT DO NOTHING RETURNING definition),
  grown AS (SELECT definition, count(*) AS persons FROM moved GROUP BY definition)
  UPDATE profile_definitions d SET size = d.size + g.persons FROM grown g WHERE d.number = g.definition`;

/** Answers what events each was given. */
const UNITE_EVENTS = `WITH moved AS (
    INSERT INTO profile_events (person, at, message_id, kind, properties)
    SELECT u.new, e.at, e.message_id, e.kind, e.properties FROM ${UNIONS} JOIN profile_events e ON e.person = u.old
    ON CONFLICT DO NOTHING RETURNING person, length(properties) AS characters)
  SELECT person, count(*) AS events, sum(characters) AS characters FROM moved GROUP BY person`;
