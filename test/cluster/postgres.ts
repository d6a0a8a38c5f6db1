import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { ROOT } from '../../checks/tool.ts';
import { migrate } from '../../packages/server/src/stores/postgres/migrations.ts';
import { findPostgres, type PostgresPrograms } from './postgres-programs.ts';

/** A PostgreSQL server of a test file's own; or, where MILLRACE_TEST_DATABASE_URL names one, that one. */
export interface Postgres {
  /** Where it keeps what it has; null of a server that was given. */
  readonly folder: string | null;
  /** Of the process that runs now, whose children do the work; null of a server that was given. */
  readonly pid: number | null;
  /** Makes an empty database and answers its URL. */
  createDatabase(): Promise<string>;
  /** Makes a database with the whole schema and no rows: the copy of one, which takes half as long as the steps of the schema. */
  migratedDatabase(): Promise<string>;
  /** Kills it as a crash would and answers when it is gone; not of a server that was given. */
  kill(): Promise<void>;
  /** Starts it again on the same port with what it left. */
  start(): Promise<void>;
  /** Ends it, and removes the databases that it made. */
  stop(): Promise<void>;
}

export interface PostgresOptions {
  /** Parameters of the server: `{ fsync: 'on' }`. Tests don't wait for disks unless they say so. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Programs to use; they are found when absent. */
  readonly programs?: PostgresPrograms;
  /** Out of reach of the terminal's Ctrl-C: who started it ends it. */
  readonly detached?: boolean;
}

const START_MS = 60_000;

const CACHE = join(ROOT, 'node_modules/.cache');

/** A server that was given can be neither killed nor put behind a proxy. */
export const isGiven: boolean = process.env['MILLRACE_TEST_DATABASE_URL'] !== undefined;

/** Starts a server; see findPostgres for which. */
export async function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
  const given = process.env['MILLRACE_TEST_DATABASE_URL'];
  if (given !== undefined && options.programs === undefined) return givenServer(given);
  const server = new OwnServer(options);
  try {
    await server.start();
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

class OwnServer implements Postgres {
  readonly #programs: PostgresPrograms;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #detached: boolean;
  readonly #folder = mkdtempSync(join(tmpdir(), 'millrace-postgres-'));
  #password = '';
  readonly #user = userOfServer();
  #port = 0;
  #process: ChildProcess | null = null;
  readonly #databases = new Databases(() => this.#url);

  constructor({ programs, settings, detached = false }: PostgresOptions) {
    this.#detached = detached;
    this.#programs = programs ?? findPostgres();
    this.#settings = { fsync: 'off', max_connections: '200', shared_buffers: '64MB', ...settings };
  }

  async start(): Promise<void> {
    if (this.#port === 0) {
      this.#initialise();
      this.#port = await freePort();
    }
    const settings = Object.entries({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      port: String(this.#port),
      ...this.#settings,
    });
    const args = ['-D', this.#data, ...settings.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const child = spawn(this.#programs.postgres, args, {
      ...this.#asUser(),
      stdio: ['ignore', 'ignore', 'pipe'],
      detached: this.#detached,
    });
    this.#process = child;
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    const deadline = Date.now() + START_MS;
    while (!(await canConnect(this.#url))) {
      if (child.exitCode !== null) throw new Error(`PostgreSQL ended at its start:\n${said}`);
      if (Date.now() > deadline) throw new Error(`PostgreSQL did not start within ${START_MS} ms:\n${said}`);
    }
  }

  createDatabase(): Promise<string> {
    return this.#databases.create();
  }

  migratedDatabase(): Promise<string> {
    return this.#databases.migrated();
  }

  async kill(): Promise<void> {
    await this.#end('SIGQUIT');
  }

  async stop(): Promise<void> {
    await this.#end('SIGINT');
    rmSync(this.#folder, { recursive: true, force: true });
    this.#programs.remove();
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  /** What initdb makes takes a second of processor time, and its copy a tenth: it is kept for the next server. */
  #initialise(): void {
    const kept = join(CACHE, `postgres-${keyOf(this.#programs)}`);
    if (existsSync(kept)) cpSync(kept, this.#folder, { recursive: true });
    else this.#makeData(kept);
    this.#own();
    this.#password = readFileSync(join(this.#folder, 'password'), 'utf8');
  }

  #makeData(kept: string): void {
    const passwords = join(this.#folder, 'password');
    writeFileSync(passwords, crypto.randomUUID());
    this.#own();
    const { status, stderr, error } = spawnSync(
      this.#programs.initdb,
      ['-D', this.#data, `--pwfile=${passwords}`, ...INITDB],
      { ...this.#asUser(), encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`initdb failed: ${error?.message ?? stderr}`);
    mkdirSync(CACHE, { recursive: true });
    const workplace = mkdtempSync(`${kept}-`);
    try {
      cpSync(this.#folder, workplace, { recursive: true });
      renameSync(workplace, kept);
    } catch (failed) {
      // Another process was faster: a folder that has something in it is not replaced.
      if (!existsSync(kept)) throw failed;
    } finally {
      rmSync(workplace, { recursive: true, force: true });
    }
  }

  /** PostgreSQL refuses data that another user owns, or may read. */
  #own(): void {
    for (const path of [this.#folder, this.#data]) if (existsSync(path)) chmodSync(path, 0o700);
    if (!this.#user) return;
    for (const path of ['', ...readdirSync(this.#folder, { encoding: 'utf8', recursive: true })]) {
      chownSync(join(this.#folder, path), this.#user.uid, this.#user.gid);
    }
  }

  #asUser(): { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number } {
    return { cwd: this.#folder, env: { ...process.env, ...this.#programs.env }, ...this.#user };
  }

  get folder(): string {
    return this.#data;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  get #data(): string {
    return join(this.#folder, 'data');
  }

  get #url(): string {
    return `postgres://postgres:${this.#password}@127.0.0.1:${this.#port}/postgres`;
  }
}

function givenServer(given: string): Postgres {
  const databases = new Databases(() => given);
  const refuse = async (): Promise<void> => {
    throw new Error('A server that was given is not started or killed.');
  };
  return {
    folder: null,
    pid: null,
    createDatabase: () => databases.create(),
    migratedDatabase: () => databases.migrated(),
    kill: refuse,
    start: refuse,
    stop: () => databases.drop(),
  };
}

/** Databases of a server that other tests may use too. */
class Databases {
  /** Of a database that is there. */
  readonly #url: () => string;
  readonly #made: string[] = [];
  #migrated: Promise<string> | null = null;

  constructor(url: () => string) {
    this.#url = url;
  }

  async create(template = 'template1'): Promise<string> {
    const name = `millrace_test_${crypto.randomUUID().replaceAll('-', '')}`;
    await using client = await connected(this.#url());
    const { rows } = await client.query("SELECT current_setting('server_version_num')::int AS version");
    // The copy of files takes less than half of the work that a copy through the write-ahead log does.
    const strategy = rows[0].version >= 150_000 ? 'STRATEGY FILE_COPY' : '';
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
    this.#made.push(name);
    return Object.assign(new URL(this.#url()), { pathname: `/${name}` }).href;
  }

  async migrated(): Promise<string> {
    this.#migrated ??= this.#template();
    return this.create(await this.#migrated);
  }

  async drop(): Promise<void> {
    await using client = await connected(this.#url());
    for (const name of this.#made) await client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async #template(): Promise<string> {
    const url = await this.create();
    await migrate(url);
    return new URL(url).pathname.slice(1);
  }
}

const INITDB = ['-U', 'postgres', '-A', 'scram-sha-256', '-E', 'UTF8', '--no-sync', '--locale=C'];

/** Of what these programs make. */
function keyOf({ initdb }: PostgresPrograms): string {
  return createHash('sha256')
    .update(`${initdb} ${statSync(initdb).mtimeMs} ${INITDB.join(' ')}`)
    .digest('hex')
    .slice(0, 16);
}

/** PostgreSQL refuses to run as root; as anybody else it runs as who we are. */
function userOfServer(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }));
    if (uid?.status === 0 && gid?.status === 0) return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  }
  throw new Error('PostgreSQL does not run as root, and there is no user postgres or nobody to run it as.');
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

async function canConnect(url: string): Promise<boolean> {
  try {
    await using client = await connected(url);
    await client.query('SELECT 1');
    return true;
  } catch {
    // Not up yet; the caller's deadline ends this.
    await new Promise((resolve) => setTimeout(resolve, 50));
    return false;
  }
}

/** A connection that ends with the block that asks for it: `await using`. */
export async function connected(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url });
  // Its end is what matters of a connection that breaks, and the next statement tells of that.
  client.on('error', () => undefined);
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
