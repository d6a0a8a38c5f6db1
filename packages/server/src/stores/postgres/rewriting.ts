import { DatabaseError } from 'pg';
import { pause } from '../../core/pause.ts';
import { type Database, openSession, type Queries, type Transaction } from './database.ts';
import { isInUse } from './failure.ts';
import { type PARTITIONED, LOCK as PARTITIONS_LOCK } from './partitions.ts';
import { HIGHEST } from './piecewise.ts';

/** Changes that are few enough to be copied while everybody waits, as a part of a piece. */
const FEW = 1 / 20;
/** Longest wait for those who use a table that is exchanged, since new users wait behind it; and the pause before the next try. */
const LOCK_WAIT = '300ms';
const PAUSE_MS = 1_000;

/** What tells rows of a partitioned table apart, and how many of them one statement copies: a batch can be half a megabyte. */
const COPIED: Readonly<Record<(typeof PARTITIONED)[number], Pick<Copy, 'keys' | 'piece'>>> = {
  events: { keys: ['position', 'received_at'], piece: 20_000 },
  deliveries: { keys: ['position', 'destination', 'received_at'], piece: 20_000 },
  replaced_packs: { keys: ['pack', 'received_at'], piece: 50 },
};

const BY_INDEX = { byIndex: true };

const ONE_AT_A_TIME = `SELECT pg_try_advisory_lock(hashtextextended('millrace rewriting', 0)) AS locked`;

/** A table whose files may hold what was removed, as of a mark. */
interface Stale {
  readonly name: string;
  readonly mark: number;
}

/** A partition on its way into a new table. */
interface Copy {
  readonly table: string;
  readonly parent: string;
  readonly number: number;
  readonly keys: readonly string[];
  /** Rows that one statement copies. */
  readonly piece: number;
  /** The table that takes its place, and the one that has the keys of rows that changed meanwhile. */
  readonly copy: string;
  readonly changes: string;
}

/**
 * Writes every table anew that is stale when this is called, so that no file of theirs holds rows that are dead: a row that was changed or deleted stays readable in
 * its page after any VACUUM but a full one, during which nothing could be read or written. A partition is copied while it is in
 * use. A trigger notes what changes meanwhile, that is copied again, and in one short transaction the copy takes its place.
 * What is not partitioned is small, and is emptied and filled again at once.
 *
 * @throws The signal's reason when that aborts.
 */
export async function rewriteStale(url: string, database: Database, signal: AbortSignal): Promise<void> {
  const stale = await database.query<Stale>('SELECT name, mark FROM stale_tables ORDER BY name');
  if (stale.length === 0) return;
  const { client, close } = await openSession(url);
  // The next one that gets the lock begins the copies anew: from then on there is nothing here to put in a table's place.
  const unlocked = new AbortController();
  client.once('end', () => unlocked.abort(new Error('The session that holds the lock of rewriting has ended.')));
  const either = AbortSignal.any([signal, unlocked.signal]);
  try {
    while (!(await client.query<{ locked: boolean }>(ONE_AT_A_TIME)).rows[0]?.locked) {
      await pause(PAUSE_MS, either);
      either.throwIfAborted();
    }
    for (const table of stale) await rewrite(database, table, either);
    await checkpoint(database);
  } finally {
    await close();
  }
}

async function rewrite(database: Database, stale: Stale, signal: AbortSignal): Promise<void> {
  const [now] = await database.query<Stale>('SELECT name, mark FROM stale_tables WHERE name = $1', [stale.name]);
  // Another node was quicker.
  if (!now) return;
  const copy = copyOf(stale.name);
  if (!copy) {
    await persistently(signal, () => database.transaction((queries) => refill(queries, now)));
    return;
  }
  // What a run that was cut off left.
  await persistently(signal, () => database.transaction((queries) => drop(queries, copy)));
  if (!(await persistently(signal, () => database.transaction((queries) => prepare(queries, copy))))) {
    await done(database, now);
    return;
  }
  await copyRows(database, copy, signal);
  await persistently(signal, async () => {
    while ((await database.transaction((queries) => catchUp(queries, copy), BY_INDEX)) > copy.piece * FEW)
      signal.throwIfAborted();
    await database.transaction((queries) => exchange(queries, copy, now), BY_INDEX);
  });
}

async function copyRows(database: Database, copy: Copy, signal: AbortSignal): Promise<void> {
  const keys = copy.keys.join(', ');
  const after = copy.keys.map((_, i) => `$${i + 1}::bigint`).join(', ');
  const sql = `WITH piece AS MATERIALIZED (
      SELECT * FROM ${copy.table} WHERE (${keys}) > (${after}) ORDER BY ${keys} LIMIT ${copy.piece}),
    put AS (INSERT INTO ${copy.copy} SELECT * FROM piece)
    SELECT ${keys} FROM piece ORDER BY ${copy.keys.map((key) => `${key} DESC`).join(', ')} LIMIT 1`;
  let last: readonly unknown[] = copy.keys.map(() => -1);
  for (;;) {
    signal.throwIfAborted();
    const rows: Record<string, unknown>[] = await database.queryByIndex(sql, last);
    const [row] = rows;
    if (!row) return;
    last = copy.keys.map((key) => row[key]);
  }
}

function copyOf(table: string): Copy | null {
  const [, parent, number] = /^(.+)_(\d+)$/.exec(table) ?? [];
  const copied = COPIED[parent as keyof typeof COPIED];
  if (parent === undefined || number === undefined || !copied) return null;
  return { table, parent, number: Number(number), ...copied, copy: `${table}_copy`, changes: `${table}_changes` };
}

async function drop(queries: Queries, { table, copy, changes }: Copy): Promise<void> {
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  if (await exists(queries, table)) await queries.query(`DROP TRIGGER IF EXISTS rewriting ON ${table}`);
  await queries.query(`DROP TABLE IF EXISTS ${copy}, ${changes}`);
}

/** Answers whether the partition is still there. */
async function prepare(queries: Queries, { table, number, keys, copy, changes }: Copy): Promise<boolean> {
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await queries.query(PARTITIONS_LOCK);
  const bounds = await boundsOf(queries, number);
  if (!bounds || !(await exists(queries, table))) return false;
  await queries.query(`CREATE TABLE ${copy} (LIKE ${table} INCLUDING ALL)`);
  // It saves the exchange a look at every row.
  await queries.query(
    `ALTER TABLE ${copy} ADD CONSTRAINT bounds CHECK (received_at >= ${bounds.begins} AND received_at < ${bounds.ends})`,
  );
  const columns = keys.map((key) => `${key} bigint NOT NULL`).join(', ');
  await queries.query(`CREATE TABLE ${changes} (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${columns})`);
  const note = `INSERT INTO ${changes} (${keys.join(', ')}) SELECT ${keys.map((key) => `($1).${key}`).join(', ')}`;
  await queries.query(
    `CREATE TRIGGER rewriting AFTER INSERT OR UPDATE OR DELETE ON ${table}
     FOR EACH ROW EXECUTE FUNCTION note_change('${note}')`,
  );
  return true;
}

/** Copies again what has changed, a piece at most; answers how many changes there were. */
async function catchUp(queries: Transaction, copy: Copy): Promise<number> {
  await queries.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  const [last] = await queries.query<{ n: number; count: number }>(
    `SELECT max(n) AS n, count(*) AS count FROM (SELECT n FROM ${copy.changes} ORDER BY n LIMIT ${copy.piece}) c`,
  );
  if (!last || last.count === 0) return 0;
  await copyChanged(queries, copy, last.n);
  await queries.query(`DELETE FROM ${copy.changes} WHERE n <= $1`, [last.n]);
  return last.count;
}

/** Copies again what the changes up to one of them say has changed. */
async function copyChanged(queries: Queries, { table, keys, copy, changes }: Copy, upTo: number): Promise<void> {
  const changed = `(SELECT DISTINCT ${keys.join(', ')} FROM ${changes} WHERE n <= $1) c`;
  const same = keys.map((key) => `t.${key} = c.${key}`).join(' AND ');
  await queries.query(`DELETE FROM ${copy} t USING ${changed} WHERE ${same}`, [upTo]);
  await queries.query(`INSERT INTO ${copy} SELECT t.* FROM ${changed} JOIN ${table} t ON ${same}`, [upTo]);
}

/** Puts the copy into the place of its table, which goes, and with it its files. */
async function exchange(queries: Transaction, copy: Copy, stale: Stale): Promise<void> {
  const { table, parent, number } = copy;
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await queries.query(PARTITIONS_LOCK);
  const bounds = await boundsOf(queries, number);
  if (bounds) {
    await queries.query(`LOCK TABLE ONLY ${parent} IN ACCESS EXCLUSIVE MODE`);
    await queries.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    await copyChanged(queries, copy, HIGHEST);
    await queries.query(`ALTER TABLE ${parent} DETACH PARTITION ${table}`);
    await queries.query(`DROP TABLE ${table}`);
    await queries.query(`ALTER TABLE ${copy.copy} RENAME TO ${table}`);
    await queries.query(
      `ALTER TABLE ${parent} ATTACH PARTITION ${table} FOR VALUES FROM (${bounds.begins}) TO (${bounds.ends})`,
    );
    await queries.query(`ALTER TABLE ${table} DROP CONSTRAINT bounds`);
  }
  await queries.query(`DROP TABLE IF EXISTS ${copy.copy}, ${copy.changes}`);
  await done(queries, stale);
}

/** A table that is emptied gets a new file. */
async function refill(queries: Queries, stale: Stale): Promise<void> {
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await queries.query(`LOCK TABLE ${stale.name} IN ACCESS EXCLUSIVE MODE`);
  await queries.query(`CREATE TABLE ${stale.name}_kept AS SELECT * FROM ${stale.name}`);
  await queries.query(`TRUNCATE ${stale.name}`);
  await queries.query(`INSERT INTO ${stale.name} SELECT * FROM ${stale.name}_kept`);
  await queries.query(`DROP TABLE ${stale.name}_kept`);
  await done(queries, stale);
}

/** What was removed meanwhile has a later mark. */
async function done(queries: Queries, { name, mark }: Stale): Promise<void> {
  await queries.query('DELETE FROM stale_tables WHERE name = $1 AND mark = $2', [name, mark]);
}

async function boundsOf(queries: Queries, number: number): Promise<{ begins: number; ends: number } | undefined> {
  const [bounds] = await queries.query<{ begins: number; ends: number }>(
    'SELECT begins, ends FROM partitions WHERE number = $1',
    [number],
  );
  return bounds;
}

async function exists(queries: Queries, table: string): Promise<boolean> {
  const [row] = await queries.query<{ there: boolean }>('SELECT to_regclass($1) IS NOT NULL AS there', [table]);
  return row?.there ?? false;
}

/** Begins no new journal, but the server needs the old one no longer; only some users may. */
async function checkpoint(queries: Queries): Promise<void> {
  try {
    await queries.query('CHECKPOINT');
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === '42501')) throw error;
  }
}

/** Again while another transaction is in the way. */
async function persistently<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (;;) {
    signal.throwIfAborted();
    try {
      return await run();
    } catch (error) {
      if (!isInUse(error)) throw error;
    }
    await pause(PAUSE_MS, signal);
  }
}
