import { type Json, type Statement, sql } from '../relational/sql.ts';

/**
 * The tables of the profiles, as a step of schema.ts. Values and properties are JSON as JSON.stringify writes it, so equal
 * values are equal texts. Ids in calls may be too long for an index: their keys are digests (profile-keys.ts).
 *
 * - `profile_turn`: one row, which a writing transaction locks from its beginning to its end. `version` grows with each such
 *   transaction, `epoch` with each node that begins to lead. The other columns are the last numbers given to a person and to a
 *   message, the number of waiting messages, and whether a rebuild is under way.
 * - `profile_words`: numbers for names and ids that would otherwise be stored millions of times. The space `word` has names of
 *   traits and ids of groups and definitions. The space of a type of event has the names of its events; the name is empty for a
 *   page or screen call without one.
 * - `profile_identities`, `profile_persons`, `profile_traits`, `profile_memberships`, `profile_group_traits`, `profile_events`:
 *   the facts from calls. Of values with equal times, the one with the higher `position` in the log wins.
 * - `profile_values`: decided values of persons, `true` for a member of an audience. `profile_dues`: when to decide again about
 *   a person, as numbers of definitions and times in turn. `at` is the earliest of the times, which may be a fraction.
 * - `profile_told`: the last values sent for each user id. `profile_outbox`: messages to send.
 * - `profile_sources`: the position up to which each source was taken in. `profile_own_sources`: the sources of audiences and
 *   computed traits.
 * - `profile_sizes`: the number of members by hour.
 * - `profile_erasures`: deletions under way. `profile_erased`: persons whose events must still be removed.
 */
export const PROFILES = `
CREATE TABLE profile_turn (
  one boolean PRIMARY KEY CHECK (one), version bigint NOT NULL, epoch bigint NOT NULL, last_person bigint NOT NULL,
  last_message bigint NOT NULL, outbox bigint NOT NULL, rebuilt bigint) WITH (fillfactor = 10);
INSERT INTO profile_turn VALUES (true, 0, 0, 0, 0, 0, NULL);

CREATE TABLE profile_words (
  number int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, key uuid NOT NULL UNIQUE, space text NOT NULL, text text NOT NULL);
CREATE INDEX profile_kinds ON profile_words (space) WHERE space <> 'word';

CREATE TABLE profile_identities (
  key uuid PRIMARY KEY, id text COLLATE "C" NOT NULL, person bigint NOT NULL, since bigint, aliased bigint);
CREATE INDEX profile_identities_of_person ON profile_identities (person);
CREATE INDEX profile_identities_by_beginning ON profile_identities (left(id, 256));
CREATE TABLE profile_persons (person bigint PRIMARY KEY, user_id text);
CREATE TABLE profile_traits (
  person bigint NOT NULL, name int NOT NULL, value text NOT NULL, at bigint NOT NULL, position bigint NOT NULL,
  PRIMARY KEY (person, name));
CREATE TABLE profile_memberships (person bigint NOT NULL, grp int NOT NULL, PRIMARY KEY (person, grp));
CREATE INDEX profile_memberships_of_group ON profile_memberships (grp, person);
CREATE TABLE profile_group_traits (
  grp int NOT NULL, name int NOT NULL, value text NOT NULL, at bigint NOT NULL, position bigint NOT NULL,
  PRIMARY KEY (grp, name));
CREATE TABLE profile_events (
  person bigint NOT NULL, at bigint NOT NULL, message_id text COLLATE "C" NOT NULL, kind int NOT NULL,
  properties text NOT NULL, PRIMARY KEY (person, at, message_id));
CREATE INDEX profile_events_by_kind ON profile_events (kind, at, person);

CREATE TABLE profile_definitions (
  number int PRIMARY KEY, id text COLLATE "C" NOT NULL UNIQUE, audience boolean NOT NULL, document text NOT NULL,
  size bigint NOT NULL, sent_at bigint);
CREATE TABLE profile_values (
  person bigint NOT NULL, definition int NOT NULL, value text NOT NULL, PRIMARY KEY (person, definition));
CREATE INDEX profile_values_of_definition ON profile_values (definition, person);
CREATE TABLE profile_dues (person bigint PRIMARY KEY, at double precision NOT NULL, dues text NOT NULL);
CREATE INDEX profile_dues_by_time ON profile_dues (at);
CREATE TABLE profile_told (
  user_key uuid NOT NULL, definition int NOT NULL, value text NOT NULL, PRIMARY KEY (user_key, definition));
CREATE TABLE profile_outbox (
  id bigint PRIMARY KEY, definition int NOT NULL, user_key uuid NOT NULL, user_id text NOT NULL, value text NOT NULL,
  at bigint NOT NULL);

CREATE TABLE profile_sources (id text COLLATE "C" PRIMARY KEY, position bigint NOT NULL);
CREATE TABLE profile_own_sources (id text COLLATE "C" PRIMARY KEY);
CREATE TABLE profile_sizes (
  definition int NOT NULL, hour bigint NOT NULL, size bigint NOT NULL, PRIMARY KEY (definition, hour));
CREATE TABLE profile_erasures (id text COLLATE "C" PRIMARY KEY, document text NOT NULL);
CREATE TABLE profile_erased (person bigint PRIMARY KEY);
`;

/**
 * `profile_unjoined`: ids that calls named together with an id of a person, and that were not joined to the person.
 * `profile_seen`: which sources had calls about which persons.
 */
export const UNJOINED = `
CREATE TABLE profile_seen (
  person bigint NOT NULL, source text COLLATE "C" NOT NULL, PRIMARY KEY (person, source));
CREATE TABLE profile_unjoined (
  person bigint NOT NULL, key uuid NOT NULL, id text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL,
  why text NOT NULL, at bigint NOT NULL, PRIMARY KEY (person, key));
CREATE INDEX profile_unjoined_by_source ON profile_unjoined (source);
`;

/** `since`: when it was decided that a person has a value; 0 if an earlier version decided it. */
export const MEMBERS_BY_TIME = `
ALTER TABLE profile_values ADD COLUMN since bigint NOT NULL DEFAULT 0;
CREATE INDEX profile_values_by_time ON profile_values (definition, since, person);
`;

/** The key of the index `profile_traits_naming`: the beginning of a trait's value in lower case. A text loses its first quote. */
const NAMING = `lower(left(ltrim(value, '"'), 100) COLLATE "C")`;

/** The index that finds persons by the values of a few traits. `numbers` are those of the traits' names. */
export function namingIndex(numbers: readonly number[]): string {
  return `CREATE INDEX IF NOT EXISTS profile_traits_naming ON profile_traits ((${NAMING})) WHERE name IN (${numbers.join(', ')})`;
}

/** Selects rows whose values begin with a part of JSON. */
export function selectNaming(numbers: readonly number[], prefix: Json, limit: number): Statement {
  const naming: Statement = { text: NAMING, values: [] };
  const names: Statement = { text: numbers.join(', '), values: [] };
  const beginning = sql`lower(left(${prefix}, 100) COLLATE "C")`;
  return sql`SELECT person, name, value FROM profile_traits WHERE name IN (${names})
    AND ${naming} >= ${beginning} AND ${naming} < ${beginning} || chr(1114111) ORDER BY ${naming} LIMIT ${limit}`;
}

/** The tables that a rebuild clears and fills again. Words and sent values stay. */
export const REBUILT: readonly string[] = [
  ...['profile_identities', 'profile_sources', 'profile_persons', 'profile_traits', 'profile_memberships'],
  ...['profile_group_traits', 'profile_events', 'profile_values', 'profile_dues', 'profile_unjoined'],
  'profile_seen',
];

/** All tables with data about persons. */
export const PERSONAL: readonly string[] = [
  ...REBUILT,
  ...['profile_told', 'profile_outbox', 'profile_erasures', 'profile_erased'],
];
