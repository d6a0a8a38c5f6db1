import type { DatabaseSync } from 'node:sqlite';
import { userKey } from '../relational/regulation-store.ts';
import { countsSchema } from './counts.ts';
import { addLater } from './database.ts';
import { MANIFEST_SCHEMA } from './manifest.ts';

/**
 * Brings the tables of `millrace.db` up to date, inside the caller's transaction. `user_version` is the number of completed
 * steps.
 *
 * @throws Error if a newer version made the tables.
 */
export function migrateLive(db: DatabaseSync): void {
  const taken = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  if (taken > STEPS.length) {
    throw new Error('A newer version of Millrace has used it: start that version, or restore a backup of this one');
  }
  // Writes nothing if no step is due, so that a full disk does not keep the file from opening.
  if (taken === STEPS.length) return;
  for (const step of STEPS.slice(taken)) step(db);
  db.exec(`PRAGMA user_version = ${STEPS.length}`);
}

type Step = (db: DatabaseSync) => void;

/**
 * The schema as a list of steps. New steps go to the end. Tables that stores/relational uses have the same columns as in
 * PostgreSQL (stores/postgres/schema.ts), because the same statements use both.
 *
 * - `names`: the numbers that stand for ids of sources and destinations in every table.
 * - `stats`: `latency` is packed (stats-functions.ts), `attempts` are tallies as text (core/tally.ts). In `stats_last`, 0 means
 *   an unknown time.
 * - `expired`: ranges of seqs whose files retention removed, if they come after the oldest remaining file.
 */
const STEPS: readonly Step[] = [firstTables, accountColumns, documentsTogether, keysOfUsers, expiredRanges];

/** Makes the tables that an earlier version has not made, and adds later columns to those that it has. */
function firstTables(db: DatabaseSync): void {
  db.exec(FIRST_TABLES);
  addLater(db, 'audit', 'changes', 'TEXT');
  addLater(db, 'stats', 'attempts', "TEXT NOT NULL DEFAULT ''");
  addLater(db, 'stats_last', 'tried_at', 'INTEGER NOT NULL DEFAULT 0');
}

/** Moves fields from documents of accounts to columns. */
function accountColumns(db: DatabaseSync): void {
  db.exec(`
ALTER TABLE accounts RENAME COLUMN json TO document;
ALTER TABLE accounts ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET created_at = document ->> 'createdAt';
ALTER TABLE invites RENAME COLUMN json TO document;
ALTER TABLE invites ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
UPDATE invites SET created_at = document ->> 'createdAt';
ALTER TABLE tokens RENAME COLUMN json TO document;
ALTER TABLE tokens ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE tokens ADD COLUMN last_used_at INTEGER;
UPDATE tokens SET created_at = document ->> 'createdAt', last_used_at = document ->> 'lastUsedAt';
ALTER TABLE sessions ADD COLUMN way TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seal TEXT;
ALTER TABLE sessions ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN renewed_at INTEGER NOT NULL DEFAULT 0;
UPDATE sessions SET way = json ->> 'way', seal = json ->> 'seal', created_at = json ->> 'createdAt',
  renewed_at = json ->> 'renewedAt';
ALTER TABLE sessions DROP COLUMN json;
`);
}

function documentsTogether(db: DatabaseSync): void {
  db.exec(`
CREATE TABLE documents (
  kind TEXT NOT NULL, id TEXT NOT NULL, document TEXT NOT NULL, PRIMARY KEY (kind, id));
INSERT INTO documents SELECT 'source', id, json FROM sources;
INSERT INTO documents SELECT 'destination', id, json FROM destinations;
INSERT INTO documents SELECT 'replay', id, json FROM replays;
DROP TABLE sources;
DROP TABLE destinations;
DROP TABLE replays;
`);
}

/** Keys suppressions by a hash: a user id may be too long for a key in PostgreSQL. Adds the index by which old statistics are deleted. */
function keysOfUsers(db: DatabaseSync): void {
  db.function('user_key', (id) => userKey(String(id)));
  db.exec(`
ALTER TABLE regulations RENAME COLUMN json TO document;
ALTER TABLE regulation_subjects RENAME COLUMN json TO document;
ALTER TABLE suppressions RENAME TO suppressed;
CREATE TABLE suppressions (user_key TEXT PRIMARY KEY, user_id TEXT NOT NULL, since INTEGER NOT NULL);
INSERT INTO suppressions SELECT user_key(user_id), user_id, since FROM suppressed;
DROP TABLE suppressed;
ALTER TABLE rejections RENAME COLUMN json TO document;
CREATE INDEX stats_by_age ON stats (step, at);
`);
}

/** Makes the table of expired ranges: messages in a retry queue keep one file, and later files can be removed before it. */
function expiredRanges(db: DatabaseSync): void {
  db.exec('CREATE TABLE expired (first INTEGER PRIMARY KEY, last INTEGER NOT NULL)');
}

const FIRST_TABLES = `
CREATE TABLE IF NOT EXISTS sources (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS destinations (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS replays (id TEXT PRIMARY KEY, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS names (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS lanes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, source INTEGER NOT NULL, destination INTEGER NOT NULL,
  start_seq INTEGER NOT NULL, start_accepted INTEGER NOT NULL, end_seq INTEGER, end_accepted INTEGER,
  position INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS dropped_partitions (file TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS id_seed (only INTEGER PRIMARY KEY CHECK (only = 1), high INTEGER NOT NULL, low INTEGER NOT NULL);
${MANIFEST_SCHEMA}
${countsSchema('dropped_counts')}
CREATE TABLE IF NOT EXISTS rejections (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, count INTEGER NOT NULL, first_at INTEGER NOT NULL, last_at INTEGER NOT NULL,
  json TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS rejections_by_source ON rejections (source, last_at);
CREATE INDEX IF NOT EXISTS rejections_by_time ON rejections (last_at);
CREATE TABLE IF NOT EXISTS stats (
  subject INTEGER NOT NULL, step INTEGER NOT NULL, at INTEGER NOT NULL,
  accepted INTEGER NOT NULL, rejected INTEGER NOT NULL, processed INTEGER NOT NULL, failed INTEGER NOT NULL,
  filtered INTEGER NOT NULL, retried INTEGER NOT NULL, latency BLOB NOT NULL,
  attempts TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (subject, step, at)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stats_last (
  subject INTEGER PRIMARY KEY, at INTEGER NOT NULL, tried_at INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS accounts (id TEXT PRIMARY KEY, email TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS invites (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, email TEXT NOT NULL UNIQUE, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sessions (
  hash TEXT PRIMARY KEY, account TEXT, expires_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS sessions_of_account ON sessions (account);
CREATE INDEX IF NOT EXISTS sessions_by_expiry ON sessions (expires_at);
CREATE TABLE IF NOT EXISTS tokens (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS audit (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
  target_type TEXT, target_id TEXT, target_name TEXT, fields TEXT NOT NULL, address TEXT NOT NULL,
  changes TEXT);
CREATE INDEX IF NOT EXISTS audit_by_time ON audit (at, id);
CREATE INDEX IF NOT EXISTS audit_by_actor ON audit (actor, at, id);
CREATE TABLE IF NOT EXISTS regulations (id TEXT PRIMARY KEY, created_at INTEGER NOT NULL, json TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS regulation_subjects (
  regulation TEXT NOT NULL, place INTEGER NOT NULL, json TEXT NOT NULL, PRIMARY KEY (regulation, place));
CREATE TABLE IF NOT EXISTS suppressions (user_id TEXT PRIMARY KEY, since INTEGER NOT NULL);
`;
