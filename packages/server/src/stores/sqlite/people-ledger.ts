import { FOLDER_SCHEMA } from './manifest.ts';

/**
 * The tables of `people.db` beside the profiles: who is who, what was decided, when to decide again, and which messages were
 * sent.
 *
 * - `identity`: every id in calls. `since` is null if no call had the id as its userId.
 * - `seen`: which sources had calls about which persons.
 * - `unjoined`: ids that calls named together with an id of a person, and that were not joined to the person.
 * - `source`: the position up to which each source was taken in. `own_source`: sources under which people/ sends or has sent.
 * - `definition`: audiences and computed traits. `number` is the number of its id in `word`.
 * - `state`: the decided values of a person and when to decide again, one row per person (person-states.ts).
 * - `told`: the last values sent for each user id, by definition (number-map.ts). `outbox`: messages to send.
 * - `size`: the number of members by hour.
 * - `counter`: `person` is the last number given to a person. `rebuilt` exists during a rebuild.
 * - `erasure`: deletions under way. `erased`: persons whose events must still be removed.
 */
export const LEDGER_SCHEMA: string = `${FOLDER_SCHEMA}
CREATE TABLE IF NOT EXISTS identity (
  id TEXT PRIMARY KEY, person INTEGER NOT NULL, since INTEGER, aliased INTEGER) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS identity_by_person ON identity (person);
CREATE TABLE IF NOT EXISTS seen (
  person INTEGER NOT NULL, source TEXT NOT NULL, PRIMARY KEY (person, source)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unjoined (
  person INTEGER NOT NULL, id TEXT NOT NULL, source TEXT NOT NULL, why TEXT NOT NULL, at INTEGER NOT NULL,
  PRIMARY KEY (person, id)) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS unjoined_by_source ON unjoined (source);
CREATE TABLE IF NOT EXISTS source (id TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS own_source (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS definition (
  number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, audience INTEGER NOT NULL, json TEXT NOT NULL,
  size INTEGER NOT NULL DEFAULT 0, sent_at INTEGER);
CREATE TABLE IF NOT EXISTS state (person INTEGER PRIMARY KEY, at INTEGER, dues TEXT NOT NULL, held TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS state_by_time ON state (at) WHERE at IS NOT NULL;
CREATE TABLE IF NOT EXISTS told (user_id TEXT PRIMARY KEY, told TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT, definition INTEGER NOT NULL, user_id TEXT NOT NULL, value TEXT NOT NULL,
  at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS size (
  definition INTEGER NOT NULL, hour INTEGER NOT NULL, size INTEGER NOT NULL,
  PRIMARY KEY (definition, hour)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS erasure (id TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS erased (person INTEGER PRIMARY KEY);
`;

/** The tables that a rebuild clears and fills again. Numbers and sent values stay. */
export const REBUILT: readonly string[] = [
  ...['identity', 'source', 'person', 'trait', 'membership', 'group_trait', 'event'],
  ...['member', 'state', 'unjoined', 'seen'],
];
