import type { Clock } from './clock.ts';
import { Loop } from './loop.ts';
import type { Service } from './service.ts';
import type { Trouble } from './trouble.ts';

export interface RecurringOptions {
  readonly clock: Clock;
  /** From the end of one run to the beginning of the next, milliseconds. */
  readonly every: number;
  /** The signal aborts at a stop. */
  readonly run: (signal: AbortSignal) => Promise<void>;
  /** Told of a run that rejects; the run is repeated soon. Without it `run` must report its own failures, and an error that it throws is a bug. */
  readonly trouble?: Trouble;
}

/** Longest wait from a run that rejected to the next one, milliseconds. */
const SOON_MS = 60_000;

/** Runs something at its start, and again after each interval. `stop` waits for the run that is under way. */
export class Recurring implements Service {
  readonly #loop: Loop;
  readonly #trouble: Trouble | undefined;

  constructor({ clock, every, run, trouble }: RecurringOptions) {
    this.#trouble = trouble;
    this.#loop = new Loop(clock, async (signal) => {
      try {
        await run(signal);
        trouble?.over();
        return every;
      } catch (error) {
        if (!trouble) throw error;
        trouble.failed(error);
        return Math.min(every, SOON_MS);
      }
    });
  }

  start(): Promise<void> {
    return this.#loop.start();
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    this.#trouble?.over();
  }
}
