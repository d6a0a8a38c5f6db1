import { type Json, type Statement, sql } from '../relational/sql.ts';

/**
 * What deciding reads of persons, made for a million of them with ten million events. Times are milliseconds since the
 * epoch; values and properties are JSON as JSON.stringify writes it, which is what makes equal values equal texts.
 *
 * - `word`, `kind`: names and ids that would else stand there millions of times. A kind is a type of event with a name,
 *   which is empty for a page or screen without one.
 * - `event` lies by person, so that what one did is read at once, and all persons one after the other; an event that comes
 *   twice is there once. `event_by_kind` leads from a kind to its persons without reading events.
 * - `trait`, `group_trait`: of values with equal times the one with the higher `position` in the log counts.
 * - `member`: the members of each audience, and who has a value of each computed trait; `since` is 0 where an earlier version
 *   decided it.
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

/** What leads to those who joined last; an earlier version's table has its column by then. */
export const MEMBERS_BY_TIME = 'CREATE INDEX IF NOT EXISTS member_by_time ON member (definition, since, person)';

/** The beginning of a trait's value as `trait_naming` has it: a text without its first quote, in lower case. */
const NAMING = `lower(substr(ltrim(value, '"'), 1, 100))`;

/** The index that leads from values of a few traits, by the numbers of their names, to persons. */
export function namingIndex(numbers: readonly number[]): string {
  return `CREATE INDEX IF NOT EXISTS trait_naming ON trait (${NAMING}) WHERE name IN (${numbers.join(', ')})`;
}

/** Rows whose values begin with a part of JSON. The condition of the index must stand here as it stands there. */
export function selectNaming(numbers: readonly number[], prefix: Json, limit: number): Statement {
  const naming: Statement = { text: NAMING, values: [] };
  const names: Statement = { text: numbers.join(', '), values: [] };
  const beginning = sql`lower(substr(${prefix}, 1, 100))`;
  return sql`SELECT person, name, value FROM trait INDEXED BY trait_naming WHERE name IN (${names})
    AND ${naming} >= ${beginning} AND ${naming} < ${beginning} || char(1114111) ORDER BY ${naming} LIMIT ${limit}`;
}
