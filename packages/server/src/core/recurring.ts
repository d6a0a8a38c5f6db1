import type { Clock } from './clock.ts';
import type { Service } from './service.ts';
import type { Trouble } from './trouble.ts';

export interface RecurringOptions {
  readonly clock: Clock;
  /** From the end of one run to the beginning of the next, milliseconds. */
  readonly every: number;
  readonly run: () => Promise<void>;
  /** Is told of runs that reject, which are repeated soon. Without it `run` reports its own failures: what it throws is a bug. */
  readonly trouble?: Trouble;
}

/** From a run that rejected to the next one at most, milliseconds. */
const SOON_MS = 60_000;

/** Runs something when it starts and then regularly. Stop waits for the run that is under way. */
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

  /** Answers whether it is done. */
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
