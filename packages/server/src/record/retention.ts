import type { Clock } from '../core/clock.ts';
import type { Service } from '../core/service.ts';
import type { Retention } from './contract.ts';

export interface RetentionOptions {
  readonly store: Retention;
  readonly clock: Clock;
  /** How long events and their records are kept, milliseconds. */
  readonly keep: number;
  readonly log: { info(fields: object, message: string): void; error(fields: object, message: string): void };
}

/** Looked at this often, or more often where less is kept. */
const HOUR = 60 * 60 * 1000;

/** Has old data dropped, partition by partition, at start and then regularly. */
export class RetentionService implements Service {
  readonly #options: RetentionOptions;
  #cancel: (() => void) | null = null;
  #running: Promise<void> = Promise.resolve();

  constructor(options: RetentionOptions) {
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
    return this.#options.clock.after(ms, () => {
      this.#running = this.#expire().then(() => {
        if (this.#cancel) this.#cancel = this.#schedule(Math.min(HOUR, this.#options.keep / 10));
      });
    });
  }

  async #expire(): Promise<void> {
    const { store, clock, keep, log } = this.#options;
    try {
      const partitions = await store.expire(clock.now() - keep);
      if (partitions > 0) log.info({ partitions }, 'dropped old data');
    } catch (error) {
      log.error({ err: error }, 'could not drop old data; trying again later');
    }
  }
}
