import { FOLDER_SCHEMA } from './manifest.ts';

/**
 * What `people.db` holds beside the profiles: who is who, what was decided and when to decide anew, what was told.
 *
 * - `identity`: every id that calls carry. `since` is null for one that no call carried as userId.
 * - `seen`: which source spoke of which person.
 * - `unjoined`: ids that were named beside a person's and not joined to them.
 * - `source`: up to which position each source was taken in. `own_source`: those that people/ itself sends or sent under.
 * - `definition`: audiences and traits; `number` is the word of their ids.
 * - `state`: what was decided of a person and when to decide anew, one row each (person-states.ts).
 * - `told`: what a user id was told last, values by definition (number-map.ts). `outbox`: what is to be told.
 * - `size`: how many members there were, by hour.
 * - `counter`: the last number given to a person; `rebuilt` is there while there is a rebuild.
 * - `erasure`: those under way. `erased`: persons whose events are still to be removed.
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

/** What a rebuild makes anew; numbers and what was told stay. */
export const REBUILT: readonly string[] = [
  ...['identity', 'source', 'person', 'trait', 'membership', 'group_trait', 'event'],
  ...['member', 'state', 'unjoined', 'seen'],
];
