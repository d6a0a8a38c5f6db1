import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../kit/service.ts';

/** What a process did between two moments. */
export interface Held {
  /** The longest time for which the event loop had no turn, in milliseconds. */
  readonly held: number;
  /** How much more memory was resident at most than at the beginning. */
  readonly bytes: number;
}

/** The other end of hold-probe.ts. */
export class Probe {
  readonly #path: string;
  #socket: Socket | null = null;

  constructor(folder: string) {
    this.#path = join(folder, 'probe');
  }

  /** What a process needs so that it can be measured. */
  settings(): Settings {
    const script = fileURLToPath(new URL('hold-probe.ts', import.meta.url));
    return { NODE_OPTIONS: `--import=${script}`, HOLD_PROBE: this.#path };
  }

  async connect(): Promise<void> {
    this.#socket = connect(this.#path);
    await once(this.#socket, 'connect');
    this.#socket.on('error', () => {});
  }

  async begin(timeout: number): Promise<boolean> {
    return (await this.#ask('begin', timeout)) !== null;
  }

  /** Null when the process does not answer in time. */
  async end(timeout: number): Promise<Held | null> {
    const line = await this.#ask('end', timeout);
    return line === null ? null : (JSON.parse(line) as Held);
  }

  /** Before the process is ended, and when it has gone. */
  close(): void {
    this.#socket?.destroy();
    rmSync(this.#path, { force: true });
  }

  #ask(line: string, timeout: number): Promise<string | null> {
    return new Promise((resolve) => {
      const socket = this.#socket;
      const done = (answer: string | null): void => {
        clearTimeout(timer);
        socket?.off('data', heard).off('close', gone);
        resolve(answer);
      };
      const heard = (answer: Buffer): void => done(answer.toString());
      const gone = (): void => done(null);
      const timer = setTimeout(gone, timeout);
      if (socket === null || socket.destroyed) return done(null);
      socket.on('data', heard).on('close', gone);
      socket.write(`${line}\n`);
    });
  }
}
