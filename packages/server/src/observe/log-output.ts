import { constants, openSync, write, writeSync } from 'node:fs';
import { isatty } from 'node:tty';

const STANDARD_ERROR = 2;

/** Most bytes that wait to be written; lines beyond that are dropped and counted. */
const MOST_BYTES = 1_048_576;

const AGAIN_MS = 100;

/** How long the end of the process waits for a reader of the log. */
const END_MS = 500;

export interface LogOutputOptions {
  /** Default: standard error. */
  readonly descriptor?: number;
  /** Registers what is called at the end of the process, however it ends. */
  readonly onExit: (handler: () => void) => void;
}

/**
 * The log's output. The service never waits for it. Lines that can't be written (the disk is full, no reader takes them) stay in memory, up
 * to a bound, and are tried again. What is beyond the bound is dropped, and a later line says how many lines that were.
 */
export class LogOutput {
  readonly #descriptor: number;
  #lines: string[] = [];
  /** What is being written, or waits for the next attempt; it ends with the end of a line. */
  #begun: Buffer = Buffer.alloc(0);
  /** Bytes of both. */
  #bytes = 0;
  #dropped = 0;
  #isUnderWay = false;

  constructor({ descriptor = standardError(), onExit }: LogOutputOptions) {
    this.#descriptor = descriptor;
    onExit(() => this.#end());
  }

  /** @param line with its line feed. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > MOST_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#lines.push(line);
    this.#bytes += bytes;
    if (this.#begun.length === 0) this.#writeSome();
  }

  #writeSome(): void {
    if (this.#begun.length === 0) this.#begun = this.#takeLines();
    if (this.#begun.length === 0) return;
    this.#isUnderWay = true;
    write(this.#descriptor, this.#begun, (error, written) => {
      this.#isUnderWay = false;
      if (error) {
        // Every error is tried again. The timer does not keep the process alive.
        setTimeout(() => this.#writeSome(), AGAIN_MS).unref();
        return;
      }
      this.#written(written);
      this.#writeSome();
    });
  }

  #takeLines(): Buffer {
    if (this.#dropped > 0) {
      const fields = { level: 'warn', time: new Date().toISOString(), dropped: this.#dropped };
      const line = `${JSON.stringify({ ...fields, msg: 'lines of this log were dropped: they could not be written' })}\n`;
      this.#lines.push(line);
      this.#bytes += Buffer.byteLength(line);
      this.#dropped = 0;
    }
    return Buffer.from(this.#lines.splice(0).join(''));
  }

  #written(bytes: number): void {
    this.#begun = this.#begun.subarray(bytes);
    this.#bytes -= bytes;
  }

  /** Writes the waiting lines as far as that is possible soon. */
  #end(): void {
    const until = Date.now() + END_MS;
    // A write that is under way is not repeated: its thread ends before the process does.
    if (this.#isUnderWay) this.#begun = Buffer.alloc(0);
    for (;;) {
      if (this.#begun.length === 0) this.#begun = this.#takeLines();
      if (this.#begun.length === 0) return;
      try {
        this.#written(writeSync(this.#descriptor, this.#begun));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || Date.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_MS / 10);
      }
    }
  }
}

/**
 * A descriptor of standard error on which no write blocks. Pipes and sockets do not block since Node made its own stream for them
 * (main.ts), and files never do. A write to a held terminal (Ctrl-S) would block a thread, and the end of the process waits for
 * threads: so the terminal is opened a second time.
 */
function standardError(): number {
  if (!isatty(STANDARD_ERROR)) return STANDARD_ERROR;
  try {
    return openSync('/dev/stderr', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Another user's terminal, or Windows.
    return STANDARD_ERROR;
  }
}
