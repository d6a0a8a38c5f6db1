import type { Clock } from './clock.ts';
import type { Service } from './service.ts';

export interface RecurringOptions {
  readonly clock: Clock;
  /** From the end of one run to the beginning of the next, milliseconds. */
  readonly every: number;
  /** Reports its own failures: what it throws is a bug. */
  readonly run: () => Promise<void>;
}

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
  }

  #schedule(ms: number): () => void {
    const { clock, every, run } = this.#options;
    return clock.after(ms, () => {
      this.#running = run().then(() => {
        if (this.#cancel) this.#cancel = this.#schedule(every);
      });
    });
  }
}
