import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

export interface Command {
  /** Says what it is in error messages. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** Added to this process's own environment. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Running {
  readonly pid: number;
  /** The first line that matched `ready`. */
  readonly line: RegExpExecArray;
  /** SIGTERM, and SIGKILL to what is still there after 5 seconds. */
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
const STOP_WITHIN_MS = 5_000;

/** Every process the benchmark started and that still runs, so that none is left behind however it ends. */
export class Processes {
  readonly #running = new Set<ChildProcess>();
  /** How to end what another caller started, in the order in which it was. */
  readonly #others: (() => Promise<unknown>)[] = [];
  #closed = false;

  /** Starts a server and waits for the line on its output that says it serves. */
  async start(command: Command, ready: RegExp): Promise<Running> {
    const child = this.#spawn(command);
    const errors = tail(child);
    const line = await new Promise<RegExpExecArray>((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`${command.name} ${why}\n${errors()}`));
      const timer = setTimeout(() => fail(`was not ready within ${READY_WITHIN_MS / 1000} s`), READY_WITHIN_MS);
      child.once('error', (error) => fail(error.message));
      child.once('exit', (code, signal) => fail(`ended (${code ?? signal}) before it was ready`));
      // The output is read to its end, ready or not: a full pipe would stop the child.
      createInterface({ input: child.stdout ?? failNoPipe() }).on('line', (text) => {
        const match = ready.exec(text);
        if (!match) return;
        clearTimeout(timer);
        resolve(match);
      });
    }).catch(async (error: unknown) => {
      await stop(child);
      throw error;
    });
    return { pid: child.pid ?? 0, line, stop: () => stop(child) };
  }

  /** Runs a program to its end and answers the JSON it printed. */
  async run<Result>(command: Command): Promise<Result> {
    const child = this.#spawn(command);
    const errors = tail(child);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject).once('exit', resolve);
    });
    const output = await text(child.stdout ?? failNoPipe());
    const code = await ended;
    if (code !== 0) throw new Error(`${command.name} ended with ${code}\n${errors()}`);
    return JSON.parse(output) as Result;
  }

  /** What `end` ends is not left behind either: it is called once, after the processes have ended. */
  endsWith(end: () => Promise<unknown>): void {
    this.#others.push(end);
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#running].map(stop));
    for (let end = this.#others.pop(); end; end = this.#others.pop()) await end();
  }

  /** Ends all of them for good: what is still being done can't start another. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.stopAll();
  }

  #spawn({ file, args, env }: Command): ChildProcess {
    if (this.#closed) throw new Error('The benchmark was interrupted');
    const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#running.add(child);
    child.once('exit', () => this.#running.delete(child));
    child.once('error', () => this.#running.delete(child));
    return child;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
  await exited;
  clearTimeout(timer);
}

/** The last of what a child wrote to its error output. */
function tail(child: ChildProcess): () => string {
  let kept = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    kept = (kept + chunk.toString()).slice(-4_000);
  });
  return () => kept;
}

function failNoPipe(): never {
  throw new Error('A child process without a pipe');
}
