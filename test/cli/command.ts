import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, onTestFinished } from 'vitest';
import { Client } from '../../packages/server/src/cli/client.ts';

export const BIN: string = fileURLToPath(new URL('../../packages/server/bin/millrace.js', import.meta.url));

const TOKEN = 'cli-test-admin-token';

export interface CommandOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Makes it the leader of a group, which signals reach whole: for a shell, and what it starts. */
  readonly group?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A real process: `millrace` with its arguments, as a user's shell would start it. */
export class Command {
  stdout = '';
  stderr = '';
  readonly ended: Promise<Ended>;
  readonly #child: ChildProcess;
  readonly #group: boolean;

  constructor(file: string, args: readonly string[], { env = {}, cwd, group = false }: CommandOptions = {}) {
    this.#group = group;
    this.#child = spawn(file, args, {
      cwd,
      detached: group,
      env: { ...inherited(), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.stdout += text;
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.ended = once(this.#child, 'close').then(([code]: (number | null)[]) => {
      return { code: code ?? null, stdout: this.stdout, stderr: this.stderr };
    });
  }

  /** Resolves when it has printed this; the groups of the pattern. Fails when it ends without. */
  async said(pattern: RegExp): Promise<readonly string[]> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match) return match.slice(1);
      if (this.#child.stdout?.readableEnded) throw new Error(`never said ${pattern}:\n${this.stdout}${this.stderr}`);
      await Promise.race([once(this.#child.stdout ?? this.#child, 'data'), this.ended]);
    }
  }

  signal(signal: NodeJS.Signals): Promise<Ended> {
    const { pid, exitCode, signalCode } = this.#child;
    if (!this.#group) this.#child.kill(signal);
    else if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, signal);
    return this.ended;
  }
}

/** Starts `millrace`; it is killed when the test ends, if it has not ended by then. */
export function begin(args: readonly string[], options: CommandOptions = {}): Command {
  const command = new Command(process.execPath, [BIN, ...args], options);
  onTestFinished(() => void command.signal('SIGKILL'));
  return command;
}

/** Runs `millrace` to its end. */
export function millrace(args: readonly string[], options: CommandOptions = {}): Promise<Ended> {
  return begin(args, options).ended;
}

export interface RunningService {
  readonly url: string;
  readonly client: Client;
  /** What makes a command speak to it. */
  readonly env: Readonly<Record<string, string>>;
  readonly command: Command;
}

/** A service for the tests of a file, or of one test; ended with `stop`. */
export async function startService(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningService & { stop(): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  const command = new Command(process.execPath, [BIN, 'start', '--port', '0', '--data-dir', dataDir], {
    env: {
      MILLRACE_ADMIN_TOKEN: TOKEN,
      MILLRACE_ALLOW_PRIVATE_URLS: 'true',
      MILLRACE_LOG_LEVEL: 'error',
      MILLRACE_RETRY_BASE: '50ms',
      ...env,
    },
  });
  const [url = ''] = await command.said(/listening on (http:\S+)/);
  return {
    url,
    client: new Client({ url, token: TOKEN, tokenFrom: 'the test' }),
    env: { MILLRACE_URL: url, MILLRACE_ADMIN_TOKEN: TOKEN },
    command,
    async stop() {
      await command.signal('SIGTERM');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One service for all tests of a file. */
export async function serviceForFile(env: Readonly<Record<string, string>> = {}): Promise<RunningService> {
  const service = await startService(env);
  afterAll(() => service.stop());
  return service;
}

/** A folder of the test's own. */
export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'millrace-cli-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Nothing of what the tests themselves were started with. */
function inherited(): Record<string, string | undefined> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(MILLRACE_|npm_|NODE_OPTIONS|FORCE_COLOR|VITEST)/.test(name),
  );
  return Object.fromEntries(own);
}
