import type { Clock } from './clock.ts';
import type { Service } from './service.ts';
import type { Trouble } from './trouble.ts';

export interface RecurringOptions {
  readonly clock: Clock;
  /** From the end of one run to the beginning of the next, milliseconds. */
  readonly every: number;
  readonly run: () => Promise<void>;
  /** Told of a run that rejects; the run is repeated soon. Without it `run` must report its own failures, and an error that it throws is a bug. */
  readonly trouble?: Trouble;
}

/** Longest wait from a run that rejected to the next one, milliseconds. */
const SOON_MS = 60_000;

/** Runs something at its start, and again after each interval. `stop` waits for the run that is under way. */
export class Recurring implements Service {
  readonly #options: RecurringOptions;
  #cancel: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RecurringOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#cancel ??= this.#schedule(0);
  }

  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#running;
    this.#options.trouble?.over();
  }

  #schedule(ms: number): () => void {
    const { clock, every } = this.#options;
    return clock.after(ms, () => {
      this.#running = this.#run().then((isDone) => {
        if (this.#cancel) this.#cancel = this.#schedule(isDone ? every : Math.min(every, SOON_MS));
      });
    });
  }

  /** Whether the run succeeded. */
  async #run(): Promise<boolean> {
    const { run, trouble } = this.#options;
    try {
      await run();
      trouble?.over();
      return true;
    } catch (error) {
      if (!trouble) throw error;
      trouble.failed(error);
      return false;
    }
  }
}
