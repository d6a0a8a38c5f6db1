import { DatabaseError } from 'pg';
import { PRIVATE_AUTHORITY, refusesCertificate } from '../../core/certificate.ts';
import { openSession, SCHEMA } from './database.ts';
import { isOfTheConnection } from './failure.ts';
import { STEPS } from './schema.ts';

/** The oldest server version that has everything the statements use. */
const OLDEST = 130_000;

/** Longest time for a step, including the wait for another node's step, milliseconds. */
const DEADLINE = 600_000;

const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('millrace migrations', 0))`;

/**
 * Brings the schema up to date. Nodes that start together do so one after the other. A newer schema is left as it is: the
 * cluster is being upgraded, and newer steps only add to ours.
 *
 * @throws Error that says what is wrong with the database and how to correct it.
 */
export async function migrate(url: string, steps: readonly string[] = STEPS): Promise<void> {
  try {
    const { close, ...queries } = await openSession(url, DEADLINE);
    try {
      const [server] = await queries.query<{ version: number; encoding: string; standby: boolean }>(
        `SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
          pg_is_in_recovery() AS standby`,
      );
      if (server && server.version < OLDEST) throw new Error('It is too old: PostgreSQL 13 or newer is needed.');
      if (server && server.encoding !== 'UTF8') {
        throw new Error(`Its encoding is ${server.encoding}: make the database with ENCODING 'UTF8'.`);
      }
      if (server?.standby) throw new Error('It is a standby, which takes no writes: name the primary server.');
      await queries.query('SET lock_timeout = 0');
      await queries.query('BEGIN');
      await queries.query(LOCK);
      await queries.query(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`);
      await queries.query('CREATE TABLE IF NOT EXISTS migrations (step int PRIMARY KEY, at timestamptz NOT NULL)');
      const [taken] = await queries.query<{ steps: number }>('SELECT coalesce(max(step), 0) AS steps FROM migrations');
      for (const [i, step] of steps.entries()) {
        if (i < (taken?.steps ?? 0)) continue;
        await queries.query(step);
        await queries.query('INSERT INTO migrations (step, at) VALUES ($1, now())', [i + 1]);
      }
      await queries.query('COMMIT');
    } finally {
      await close();
    }
  } catch (error) {
    throw new Error(`The database at ${placeOf(url)} can't be used. ${inWords(error)}`, { cause: error });
  }
}

/** Explains what to do about an error at the start. */
function inWords(error: unknown): string {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  if (refusesCertificate(code)) {
    return `Its certificate can't be trusted (${message}): name the host in the URL as the certificate does; ${PRIVATE_AUTHORITY}.`;
  }
  if (message.includes('client password must be')) {
    return 'It asks for a password, and the URL has none: postgres://user:password@host:5432/database.';
  }
  if (isOfTheConnection(error)) {
    return `No PostgreSQL answers there (${message}): check the host and the port in the URL, and that the server runs and can be reached from here.`;
  }
  if (!(error instanceof DatabaseError)) return message;
  switch (error.code) {
    case '28P01':
    case '28000':
      return `It refuses the user or the password (${message}): correct them in the URL.`;
    case '3D000':
      return `There is no such database (${message}): create it first, or name another in the URL.`;
    case '42501':
      return `The user may not create the schema (${message}): GRANT CREATE ON DATABASE … TO the user.`;
    default:
      return message;
  }
}

/** Its server and its database, and nothing else: a password can stand in several places of a URL. */
function placeOf(url: string): string {
  const { host, pathname } = URL.parse(url) ?? { host: '', pathname: '' };
  return host === '' || pathname.includes('@') ? 'MILLRACE_DATABASE_URL' : host + pathname;
}
