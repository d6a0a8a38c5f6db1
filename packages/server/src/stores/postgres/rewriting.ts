import { DatabaseError } from 'pg';
import { pause } from '../../core/pause.ts';
import { HIGHEST } from '../relational/piecewise.ts';
import { type Database, openSession, type Queries } from './database.ts';
import { isInUse } from './failure.ts';
import { type PARTITIONED, LOCK as PARTITIONS_LOCK } from './partitions.ts';

/** If the remaining changes are at most this share of a piece, they are copied while others wait. */
const FEW = 1 / 20;
/** Longest wait for users of a table that is exchanged, because new users wait behind it. And the pause before the next attempt. */
const LOCK_WAIT = '300ms';
const PAUSE_MS = 1_000;

/** The key of each partitioned table, and how many rows one statement copies: a batch can have half a megabyte. */
const COPIED: Readonly<Record<(typeof PARTITIONED)[number], Pick<Copy, 'keys' | 'piece'>>> = {
  events: { keys: ['position', 'received_at'], piece: 20_000 },
  deliveries: { keys: ['position', 'destination', 'received_at'], piece: 20_000 },
  replaced_packs: { keys: ['pack', 'received_at'], piece: 50 },
};

const BY_INDEX = { byIndex: true };

const ONE_AT_A_TIME = `SELECT pg_try_advisory_lock(hashtextextended('millrace rewriting', 0)) AS locked`;

/** A table whose files may contain removed data, as of a mark. */
interface Stale {
  readonly name: string;
  readonly mark: number;
}

/** A partition that is being copied to a new table. */
interface Copy {
  readonly table: string;
  readonly parent: string;
  readonly number: number;
  readonly keys: readonly string[];
  /** Rows that one statement copies. */
  readonly piece: number;
  /** The table that will replace the partition, and the one with the keys of rows that changed meanwhile. */
  readonly copy: string;
  readonly changes: string;
}

/**
 * Rewrites every table that is stale at the time of the call, so that no file of it contains dead rows. A changed or deleted
 * row stays readable in its page after any VACUUM except a full one, which would block all reads and writes. So a partition is
 * copied while it is in use: a trigger notes which rows change meanwhile, they are copied again, and one short transaction puts
 * the copy into the partition's place. A table without partitions is small: it is emptied and refilled in one transaction.
 *
 * @throws The signal's reason if it aborts.
 */
export async function rewriteStale(url: string, database: Database, signal: AbortSignal): Promise<void> {
  const stale = await database.query<Stale>('SELECT name, mark FROM stale_tables ORDER BY name');
  if (stale.length === 0) return;
  const { client, close } = await openSession(url);
  // When the session ends, another node can take the lock and begin the copies again. Then this node must not put a copy into a table's place.
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
  // Another node has done it.
  if (!now) return;
  const copy = copyOf(stale.name);
  if (!copy) {
    await persistently(signal, () => database.transaction((queries) => refill(queries, now)));
    return;
  }
  // Removes what an interrupted run left.
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

/** Answers whether the partition still exists. */
async function prepare(queries: Queries, { table, number, keys, copy, changes }: Copy): Promise<boolean> {
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await queries.query(PARTITIONS_LOCK);
  const bounds = await boundsOf(queries, number);
  if (!bounds || !(await exists(queries, table))) return false;
  await queries.query(`CREATE TABLE ${copy} (LIKE ${table} INCLUDING ALL)`);
  // With this constraint, the exchange need not check every row.
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

/** Copies changed rows again, at most a piece. Answers how many changes there were. */
async function catchUp(queries: Queries, copy: Copy): Promise<number> {
  await queries.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
  const [last] = await queries.query<{ n: number; count: number }>(
    `SELECT max(n) AS n, count(*) AS count FROM (SELECT n FROM ${copy.changes} ORDER BY n LIMIT ${copy.piece}) c`,
  );
  if (!last || last.count === 0) return 0;
  await copyChanged(queries, copy, last.n);
  await queries.query(`DELETE FROM ${copy.changes} WHERE n <= $1`, [last.n]);
  return last.count;
}

/** Copies again the rows that the changes up to one of them name. */
async function copyChanged(queries: Queries, { table, keys, copy, changes }: Copy, upTo: number): Promise<void> {
  const changed = `(SELECT DISTINCT ${keys.join(', ')} FROM ${changes} WHERE n <= $1) c`;
  const same = keys.map((key) => `t.${key} = c.${key}`).join(' AND ');
  await queries.query(`DELETE FROM ${copy} t USING ${changed} WHERE ${same}`, [upTo]);
  await queries.query(`INSERT INTO ${copy} SELECT t.* FROM ${changed} JOIN ${table} t ON ${same}`, [upTo]);
}

/** Puts the copy into the place of its table. The table and its files are deleted. */
async function exchange(queries: Queries, copy: Copy, stale: Stale): Promise<void> {
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

/** Empties a table and fills it again: TRUNCATE gives it a new file. */
async function refill(queries: Queries, stale: Stale): Promise<void> {
  await queries.query(`SET LOCAL lock_timeout = '${LOCK_WAIT}'`);
  await queries.query(`LOCK TABLE ${stale.name} IN ACCESS EXCLUSIVE MODE`);
  await queries.query(`CREATE TABLE ${stale.name}_kept AS SELECT * FROM ${stale.name}`);
  await queries.query(`TRUNCATE ${stale.name}`);
  await queries.query(`INSERT INTO ${stale.name} SELECT * FROM ${stale.name}_kept`);
  await queries.query(`DROP TABLE ${stale.name}_kept`);
  await done(queries, stale);
}

/** Removes the mark, unless something was removed meanwhile: that has a later mark. */
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

/** After a checkpoint the server no longer needs its old write-ahead log. Only some users may request one. */
async function checkpoint(queries: Queries): Promise<void> {
  try {
    await queries.query('CHECKPOINT');
  } catch (error) {
    if (!(error instanceof DatabaseError && error.code === '42501')) throw error;
  }
}

/** Runs again while other users of a table are in the way. */
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
