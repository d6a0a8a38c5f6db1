import { type Runtime, standard } from '../src/runtime.ts';

/** Given as `timeout` and as `flushAfter`: no other wait is this long, so a test can tell them apart. */
export const TIMEOUT = 77_777;
export const FLUSH_AFTER = 55_555;

/**
 * Time in the hands of a test. Timeouts and flushes come when the test says so; every other wait, as those between
 * attempts, is over at once and written down.
 */
export class HandTime implements Runtime {
  readonly batchBytes: number = standard.batchBytes;
  readonly uuid: () => string = standard.uuid;
  /** Milliseconds since the epoch; the test may move it either way. */
  clock: number = Date.parse('2026-03-01T12:00:00.000Z');
  /** Milliseconds of the waits that were over at once. */
  readonly waits: number[] = [];
  /** Between 0 and 1. */
  luck = 0;
  /** Milliseconds the clock goes on whenever it is read. */
  pace = 0;
  readonly now = (): number => {
    this.clock += this.pace;
    return this.clock;
  };
  readonly #timers = new Map<() => void, number>();
  readonly #watchers = new Set<() => void>();

  random = (): number => this.luck;

  after = (ms: number, run: () => void): (() => void) => {
    if (ms !== TIMEOUT && ms !== FLUSH_AFTER) {
      this.waits.push(ms);
      return standard.after(0, run);
    }
    this.#timers.set(run, ms);
    for (const look of this.#watchers) look();
    return () => this.#timers.delete(run);
  };

  pending(ms: number): number {
    return [...this.#timers.values()].filter((wait) => wait === ms).length;
  }

  /** Ends the waits of this length, as soon as there is one. */
  async pass(ms: number): Promise<void> {
    while (this.pending(ms) === 0) {
      await new Promise<void>((resolve) => {
        const look = (): void => {
          this.#watchers.delete(look);
          resolve();
        };
        this.#watchers.add(look);
      });
    }
    for (const [run, wait] of [...this.#timers]) {
      if (wait !== ms) continue;
      this.#timers.delete(run);
      run();
    }
  }
}
