import type { Clock } from './clock.ts';
import type { Service } from './service.ts';
import type { Trouble } from './trouble.ts';

export interface RecurringOptions {
  readonly clock: Clock;
  /** From the end of one run to the beginning of the next, milliseconds. */
  readonly every: number;
  readonly run: () => Promise<void>;
  /** Is told of runs that reject. Without it `run` reports its own failures: what it throws is a bug. */
  readonly trouble?: Trouble;
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
    this.#options.trouble?.over();
  }

  #schedule(ms: number): () => void {
    const { clock, every } = this.#options;
    return clock.after(ms, () => {
      this.#running = this.#run().then(() => {
        if (this.#cancel) this.#cancel = this.#schedule(every);
      });
    });
  }

  async #run(): Promise<void> {
    const { run, trouble } = this.#options;
    if (!trouble) return run();
    try {
      await run();
      trouble.over();
    } catch (error) {
      trouble.failed(error);
    }
  }
}
