import { type Json, type Statement, sql } from '../relational/sql.ts';

/**
 * The tables that deciding reads, made for a million persons with ten million events. Times are milliseconds since the epoch.
 * Values and properties are JSON as JSON.stringify writes it, so equal values are equal texts.
 *
 * - `word`, `kind`: numbers for names and ids that would otherwise be stored millions of times. A kind is a type of event with
 *   a name; the name is empty for a page or screen call without one.
 * - `event` is ordered by person, so that the events of one person are read together, and all persons in turn. An event that
 *   arrives twice is stored once. `event_by_kind` finds the persons of a kind without reading events.
 * - `trait`, `group_trait`: of values with equal times, the one with the higher `position` in the log wins.
 * - `member`: the members of each audience, and the persons with a value of each computed trait. `since` is 0 if an earlier
 *   version decided it.
 */
export const PEOPLE_SCHEMA = `
CREATE TABLE IF NOT EXISTS word (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS kind (id INTEGER PRIMARY KEY, type TEXT NOT NULL, name TEXT NOT NULL, UNIQUE (type, name));
CREATE TABLE IF NOT EXISTS person (id INTEGER PRIMARY KEY, user_id TEXT);
CREATE TABLE IF NOT EXISTS trait (
  person INTEGER NOT NULL, name INTEGER NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL,
  position INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (person, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS trait_by_name ON trait (name, person);
CREATE TABLE IF NOT EXISTS membership (
  person INTEGER NOT NULL, grp INTEGER NOT NULL, PRIMARY KEY (person, grp)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS membership_by_group ON membership (grp, person);
CREATE TABLE IF NOT EXISTS group_trait (
  grp INTEGER NOT NULL, name INTEGER NOT NULL, value TEXT NOT NULL, at INTEGER NOT NULL,
  position INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (grp, name)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS group_trait_by_name ON group_trait (name, grp);
CREATE TABLE IF NOT EXISTS event (
  person INTEGER NOT NULL, at INTEGER NOT NULL, message_id TEXT NOT NULL, kind INTEGER NOT NULL, properties TEXT NOT NULL,
  PRIMARY KEY (person, at, message_id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS event_by_kind ON event (kind, at, person);
CREATE TABLE IF NOT EXISTS member (
  definition INTEGER NOT NULL, person INTEGER NOT NULL, since INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (definition, person)) WITHOUT ROWID;
`;

/** The index for the newest members. Made after the table has the column `since`, which an earlier version lacks. */
export const MEMBERS_BY_TIME = 'CREATE INDEX IF NOT EXISTS member_by_time ON member (definition, since, person)';

/** The key of the index `trait_naming`: the beginning of a trait's value in lower case. A text loses its first quote. */
const NAMING = `lower(substr(ltrim(value, '"'), 1, 100))`;

/** The index that finds persons by the values of a few traits. `numbers` are those of the traits' names. */
export function namingIndex(numbers: readonly number[]): string {
  return `CREATE INDEX IF NOT EXISTS trait_naming ON trait (${NAMING}) WHERE name IN (${numbers.join(', ')})`;
}

/** Selects rows whose values begin with a part of JSON. The condition must be the same text as in the index, or SQLite does not use the index. */
export function selectNaming(numbers: readonly number[], prefix: Json, limit: number): Statement {
  const naming: Statement = { text: NAMING, values: [] };
  const names: Statement = { text: numbers.join(', '), values: [] };
  const beginning = sql`lower(substr(${prefix}, 1, 100))`;
  return sql`SELECT person, name, value FROM trait INDEXED BY trait_naming WHERE name IN (${names})
    AND ${naming} >= ${beginning} AND ${naming} < ${beginning} || char(1114111) ORDER BY ${naming} LIMIT ${limit}`;
}
