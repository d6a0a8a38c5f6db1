import { Socket } from 'node:net';
import pLimit from 'p-limit';
import { Client, type ClientConfig, Pool, type PoolClient, type QueryResultRow, TypeOverrides, types } from 'pg';
import { isInTheWay, storageError } from './failure.ts';

/** Runs statements: a pool, or one connection in a transaction. */
export interface Queries {
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
}

export interface DatabaseOptions {
  readonly url: string;
  /** Most connections at once. */
  readonly connections: number;
  /** Longest time a statement may take, milliseconds. */
  readonly deadline: number;
}

/** The schema that contains all tables. */
export const SCHEMA = 'millrace';

/** Longest wait for a connection, milliseconds. */
const CONNECT_MS = 5_000;

/** How long the server may take beyond a statement's deadline to report that it gave up, milliseconds. */
const GRACE_MS = 2_000;

const TRIES = 5;

/**
 * Settings of every connection. Commits are synced, even if the server's default differs. A server that loses this process
 * releases its locks within half a minute; if the process stands still in the middle of a transaction, after ten seconds.
 */
const SESSION = `
SET search_path TO ${SCHEMA}; SET jit = off;
SET lock_timeout = '5s'; SET idle_in_transaction_session_timeout = '10s';
SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off';
`;

/**
 * For a transaction that reads ranges of indexes whose bounds the planner can't estimate. The planner would rather read whole
 * tables. query-plans.test.ts shows which statements these are.
 */
const BY_INDEX = `SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off`;

interface TransactionOptions {
  /** Reads ranges of indexes, although the planner would choose otherwise; default false. */
  readonly byIndex?: boolean;
}

/**
 * A pool of connections. Every call ends within a deadline. An error of the machine or the network becomes a Fault, and the
 * next call uses a new connection.
 */
export class Database implements Queries {
  readonly #pool: Pool;
  readonly #sockets = new Set<Socket>();
  #trouble: string | null = null;

  constructor({ url, connections, deadline }: DatabaseOptions) {
    this.#pool = new Pool({
      ...connectionTo(url, this.#sockets),
      max: connections,
      idleTimeoutMillis: 60_000,
      query_timeout: deadline + GRACE_MS,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types don't say.
      onConnect: (client) => client.query(`${SESSION} SET statement_timeout = ${deadline};`),
    });
    // An idle connection broke. The pool has removed it.
    this.#pool.on('error', (error) => this.#broke(error));
    // A connection that breaks during a statement rejects that statement. Between two statements there is no other listener,
    // and an error without a listener would end the process.
    this.#pool.on('connect', (client) => {
      client.on('error', (error) => this.#broke(error));
    });
  }

  /** Why the last call failed, in words; null if it succeeded. */
  trouble(): string | null {
    return this.#trouble;
  }

  query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#guard(async () => (await this.#pool.query<Row>(sql, [...values])).rows);
  }

  /** Runs a statement that reads ranges of indexes, although the planner would choose otherwise. */
  queryByIndex<Row extends QueryResultRow>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    return this.transaction((queries) => queries.query<Row>(sql, values), { byIndex: true });
  }

  /** Runs `work` in a transaction. If the transaction conflicts with another one, `work` runs again from its beginning. */
  async transaction<T>(work: (queries: Queries) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    for (let n = 1; ; n++) {
      try {
        return await this.#guard(() => this.#once(work, options));
      } catch (error) {
        if (n >= TRIES || !isInTheWay((error as Error).cause)) throw error;
      }
    }
  }

  /** Closes all connections, within a few seconds even if the server has stopped answering. */
  async close(): Promise<void> {
    const cut = setTimeout(() => destroyAll(this.#sockets), GRACE_MS);
    await this.#pool.end();
    clearTimeout(cut);
    // Connections that broke before may still wait for their server's answer.
    destroyAll(this.#sockets);
  }

  async #once<T>(work: (queries: Queries) => Promise<T>, { byIndex }: TransactionOptions): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query(byIndex ? `BEGIN; ${BY_INDEX}` : 'BEGIN');
      const result = await work(on(client));
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      // Whatever the state of the connection: closing it ends the transaction.
      client.release(true);
      throw error;
    }
  }

  #broke(error: Error): void {
    this.#trouble = (storageError(error) as Error).message;
  }

  async #guard<T>(call: () => Promise<T>): Promise<T> {
    try {
      const result = await call();
      this.#trouble = null;
      return result;
    } catch (error) {
      const failure = storageError(error);
      if (failure !== error) this.#trouble = (failure as Error).message;
      throw failure;
    }
  }
}

/** A connection of its own, for what lasts as long as a session: listening, and locks. Statements of all callers run one after the other. */
export interface Session extends Queries {
  readonly client: Client;
  /** Closes the connection, within a few seconds even if the server has stopped answering. */
  close(): Promise<void>;
}

/** `deadline` is the longest time a statement may take, milliseconds. */
export async function openSession(url: string, deadline: number = CONNECT_MS): Promise<Session> {
  const sockets = new Set<Socket>();
  const client = new Client({ ...connectionTo(url, sockets), query_timeout: deadline });
  // An error without a listener would end the process. Users of a session watch for the end of the connection.
  client.on('error', () => undefined);
  const close = async (): Promise<void> => {
    const cut = setTimeout(() => destroyAll(sockets), GRACE_MS);
    // If the connection broke, it has ended already.
    await client.end().catch(() => undefined);
    clearTimeout(cut);
  };
  try {
    await client.connect();
    await client.query(SESSION);
    const direct = on(client);
    const inTurn = pLimit(1);
    return {
      client,
      close,
      query: (sql, values) => inTurn(() => direct.query(sql, values)),
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Statements of a database that each read ranges of indexes, although the planner would choose otherwise. */
export function byIndex(database: Database): Queries {
  return { query: (sql, values = []) => database.queryByIndex(sql, values) };
}

function on(client: Client | PoolClient): Queries {
  return {
    async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
      return (await client.query<Row>(sql, [...values])).rows;
    },
  };
}

const INT8 = 20;

/** `sockets` contains the open ones. */
function connectionTo(url: string, sockets: Set<Socket>): ClientConfig {
  const parsers = new TypeOverrides(types);
  // Positions, times and counts, which stay below 2^53.
  parsers.setTypeParser(INT8, Number);
  return {
    connectionString: verifying(url),
    stream() {
      const socket = new Socket();
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      return socket;
    },
    application_name: 'millrace',
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    types: parsers,
  };
}

/** pg takes three modes for verify-full, and warns of that on stderr, among the lines of the log. */
function verifying(url: string): string {
  if (url.includes('uselibpqcompat=true')) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
}

function destroyAll(sockets: ReadonlySet<Socket>): void {
  for (const socket of sockets) socket.destroy();
}
