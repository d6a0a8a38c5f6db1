import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { Admin } from './admin.ts';
import { processStarted, removeFolder, temporaryFolder } from './leaks.ts';

export const BIN: string = fileURLToPath(new URL('../../../packages/server/bin/millrace.js', import.meta.url));

export const ADMIN_TOKEN = 'system-test-admin-token-6f1d2a';

/** Settings as the environment carries them; null takes away what the kit would have set. */
export type Settings = Readonly<Record<string, string | null>>;

/** Retries in milliseconds instead of hours, so that a test can wait for their end. */
const QUICK: Settings = {
  MILLRACE_ADMIN_TOKEN: ADMIN_TOKEN,
  MILLRACE_ALLOW_PRIVATE_URLS: 'true',
  MILLRACE_LOG_LEVEL: 'debug',
  MILLRACE_RETRY_BASE: '50ms',
  MILLRACE_RETRY_CAP: '200ms',
  MILLRACE_RETRY_WINDOW: '2s',
};

/** What a user who sets nothing gets, except that deliveries may go to this machine. */
export const DEFAULTS: Settings = {
  MILLRACE_LOG_LEVEL: null,
  MILLRACE_RETRY_BASE: null,
  MILLRACE_RETRY_CAP: null,
  MILLRACE_RETRY_WINDOW: null,
};

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A log line at level error or worse is a failure of the test, unless the test says that it breaks something. */
export interface ServiceOptions {
  readonly dataDir?: string;
  readonly args?: readonly string[];
  readonly mayLogErrors?: boolean;
  /** A file descriptor that its standard error is, instead of a pipe that is read. */
  readonly log?: number;
}

let ground: (() => Promise<Settings>) | null = null;

/** Whether services are nodes of clusters here. */
export function areNodes(): boolean {
  return ground !== null;
}

/** From now on each service is the one node of a cluster of its own: `make` answers the settings that say which. */
export function runAsNodes(make: () => Promise<Settings>): void {
  ground = make;
}

/** The real process, started as a user starts it. */
export class Service extends Admin {
  readonly dataDir: string;
  stdout = '';
  stderr = '';
  /** Where it listens: another port after each start, unless `args` name one. */
  url = '';
  mayLogErrors: boolean;
  readonly #settings: Settings;
  readonly #args: readonly string[];
  readonly #log: number | 'pipe';
  readonly #makeGround = ground;
  #ground: Settings = {};
  readonly #ownsFolder: boolean;
  #child: ChildProcess | null = null;
  #exit: Promise<Exit> = Promise.resolve({ code: null, signal: null });
  #expectedEnd = true;

  constructor(settings: Settings = {}, options: ServiceOptions = {}) {
    super(ADMIN_TOKEN);
    this.#settings = { ...QUICK, ...settings };
    this.#args = options.args ?? [];
    this.#log = options.log ?? 'pipe';
    this.#ownsFolder = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? temporaryFolder();
    this.mayLogErrors = options.mayLogErrors ?? false;
  }

  /** Resolves when the process says that it listens; rejects with what it said when it ends instead. */
  async start(settings: Settings = {}): Promise<this> {
    const said = this.stdout.length;
    if (Object.keys(this.#ground).length === 0) this.#ground = (await this.#makeGround?.()) ?? {};
    this.launch(settings);
    const ended = this.#exit.then(({ code, signal }) => {
      throw new Error(`the service ended (${code ?? signal}) before it listened:\n${this.stdout}${this.stderr}`);
    });
    // Once it listens, nothing waits for this.
    ended.catch(() => {});
    const listening = new Promise<string>((resolve) => {
      this.#child?.stdout?.on('data', () => {
        const [, url] = /listening on (http:\/\/\S+)/.exec(this.stdout.slice(said)) ?? [];
        if (url !== undefined) resolve(url);
      });
    });
    this.url = await Promise.race([listening, ended]);
    this.#expectedEnd = false;
    return this;
  }

  /** Starts the process and leaves it to the test what comes of it. */
  launch(settings: Settings = {}): void {
    const env = Object.entries({ PATH: process.env['PATH'] ?? '', ...this.#ground, ...this.#settings, ...settings });
    const given = env.filter((entry): entry is [string, string] => entry[1] !== null);
    const args = [BIN, 'start', '--port', '0', '--data-dir', this.dataDir, ...this.#args];
    const stdio = ['ignore', 'pipe', this.#log] satisfies StdioOptions;
    const child: ChildProcess = spawn(process.execPath, args, { env: Object.fromEntries(given), stdio });
    if (child.pid !== undefined) processStarted(child.pid);
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk;
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk;
    });
    this.#child = child;
    this.#expectedEnd = true;
    this.#exit = once(child, 'close').then(([code, signal]) => ({ code, signal }) as Exit);
  }

  /** The settings that say which cluster's node it is; none of a process alone. */
  get ground(): Settings {
    return this.#ground;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get exit(): Promise<Exit> {
    return this.#exit;
  }

  signal(signal: NodeJS.Signals): void {
    if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') this.#expectedEnd = true;
    this.#child?.kill(signal);
  }

  /** `kill -9`, in the middle of its work. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#exit;
  }

  /** SIGTERM; answers how it ended. */
  async stop(): Promise<Exit> {
    this.signal('SIGTERM');
    return this.#exit;
  }

  /** Log lines at level error or worse. */
  errors(): string[] {
    return this.stderr
      .split('\n')
      .filter((line) => /"level":"(error|fatal)"/.test(line) || /^\s*(\w*Error:|at )/.test(line));
  }

  /**
   * Takes the process and its folder away.
   *
   * @throws Error when it had ended by itself, logged an error that no test asked for, or let a secret out.
   */
  async close(): Promise<void> {
    const ended = this.#child !== null && (this.#child.exitCode !== null || this.#child.signalCode !== null);
    const unexpected = ended && !this.#expectedEnd;
    await this.kill();
    if (this.#ownsFolder) removeFolder(this.dataDir);
    if (unexpected) throw new Error(`the service ended by itself:\n${this.stderr.slice(-4_000)}`);
    if (!this.mayLogErrors && this.errors().length > 0)
      throw new Error(`errors in the log:\n${this.errors().join('\n')}`);
    const out = [...this.secrets].filter((secret) => this.stdout.includes(secret) || this.stderr.includes(secret));
    if (out.length > 0) throw new Error(`secrets in the log: ${out.join(', ')}`);
  }

  /** Where the data of this service lies. */
  file(name: string): string {
    return join(this.dataDir, name);
  }
}

/** A service until the test is over. */
export async function startService(settings: Settings = {}, options: ServiceOptions = {}): Promise<Service> {
  const service = new Service(settings, options);
  onTestFinished(() => service.close());
  return service.start();
}

/** A service for all tests of a file, each of which brings its own sources, destinations and receivers. */
export function sharedService(settings: Settings = {}, options: ServiceOptions = {}): Service {
  const service = new Service(settings, options);
  beforeAll(async () => {
    await service.start();
  });
  afterAll(() => service.close());
  return service;
}
