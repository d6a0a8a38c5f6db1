import { type Json, type Statement, sql } from '../relational/sql.ts';

/**
 * The profiles, as a step of schema.ts. Values and properties are JSON as JSON.stringify writes it, which is what makes
 * equal values equal texts. Ids that calls carry may be longer than an index takes: their keys are digests (profile-keys.ts).
 *
 * - `profile_turn`: one row, which a transaction that writes holds from its beginning to its end. `version` grows with each of
 *   them, `epoch` with each node that begins to lead; beside them the numbers last given to a person and to a message, how
 *   many messages wait, and how far a rebuild has come.
 * - `profile_words`: numbers for names and ids that would else stand there millions of times, of `word` (names of traits, ids
 *   of groups and definitions) or of a type of event, which has its events' names: empty for a page or screen without one.
 * - `profile_identities`, `profile_persons`, `profile_traits`, `profile_memberships`, `profile_group_traits`,
 *   `profile_events`: what is known. Of values with equal times the one with the higher `position` in the log counts.
 * - `profile_values`: what was decided of persons, `true` for a member of an audience. `profile_dues`: when definitions are to be
 *   decided anew of a person, number and time in turn; `at` is the first of them, which may be a fraction.
 * - `profile_told`: what a user id was told last. `profile_outbox`: what is to be told.
 * - `profile_sources`: up to which position each source was taken in. `profile_own_sources`: those of audiences and traits.
 * - `profile_sizes`: how many members there were, by hour.
 * - `profile_erasures`: those under way. `profile_erased`: persons whose events are still to be removed.
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
 * `profile_unjoined`: ids that were named beside a person's and not joined to them. `profile_seen`: which source spoke of which
 * person.
 */
export const UNJOINED = `
CREATE TABLE profile_seen (
  person bigint NOT NULL, source text COLLATE "C" NOT NULL, PRIMARY KEY (person, source));
CREATE TABLE profile_unjoined (
  person bigint NOT NULL, key uuid NOT NULL, id text COLLATE "C" NOT NULL, source text COLLATE "C" NOT NULL,
  why text NOT NULL, at bigint NOT NULL, PRIMARY KEY (person, key));
CREATE INDEX profile_unjoined_by_source ON profile_unjoined (source);
`;

/** `since`: when it was decided that a person has a value; 0 where an earlier version did. */
export const MEMBERS_BY_TIME = `
ALTER TABLE profile_values ADD COLUMN since bigint NOT NULL DEFAULT 0;
CREATE INDEX profile_values_by_time ON profile_values (definition, since, person);
`;

/** The beginning of a trait's value as `profile_traits_naming` has it: a text without its first quote, in lower case. */
const NAMING = `lower(left(ltrim(value, '"'), 100) COLLATE "C")`;

/** The index that leads from values of a few traits, by the numbers of their names, to persons. */
export function namingIndex(numbers: readonly number[]): string {
  return `CREATE INDEX IF NOT EXISTS profile_traits_naming ON profile_traits ((${NAMING})) WHERE name IN (${numbers.join(', ')})`;
}

/** Rows whose values begin with a part of JSON. */
export function selectNaming(numbers: readonly number[], prefix: Json, limit: number): Statement {
  const naming: Statement = { text: NAMING, values: [] };
  const names: Statement = { text: numbers.join(', '), values: [] };
  const beginning = sql`lower(left(${prefix}, 100) COLLATE "C")`;
  return sql`SELECT person, name, value FROM profile_traits WHERE name IN (${names})
    AND ${naming} >= ${beginning} AND ${naming} < ${beginning} || chr(1114111) ORDER BY ${naming} LIMIT ${limit}`;
}

/** What a rebuild makes anew; words and what was told stay. */
export const REBUILT: readonly string[] = [
  ...['profile_identities', 'profile_sources', 'profile_persons', 'profile_traits', 'profile_memberships'],
  ...['profile_group_traits', 'profile_events', 'profile_values', 'profile_dues', 'profile_unjoined'],
  'profile_seen',
];

/** Everything that says something of persons. */
export const PERSONAL: readonly string[] = [
  ...REBUILT,
  ...['profile_told', 'profile_outbox', 'profile_erasures', 'profile_erased'],
];
