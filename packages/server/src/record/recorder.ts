import { type Clock, systemClock } from '../core/clock.ts';
import type { DeliveryResult } from '../core/delivery.ts';
import { pause } from '../core/pause.ts';
import type { DeliveryStore } from './contract.ts';

interface Waiting {
  readonly result: DeliveryResult;
  readonly recorded: () => void;
}

/** Wait after an error of the store. */
const RETRY_MS = 500;
/** This many results are written at once, without waiting for more. */
const MANY = 100;

export interface RecorderOptions {
  readonly clock?: Clock;
  /** How long a few results wait for more, milliseconds. 0, the default: only until the batch before is written. */
  readonly linger?: number;
}

/**
 * Records delivery results in batches: while one batch is written, the next one collects. A lane lets go of a message only when
 * its result is durable. Results that the store can't take are kept and tried again until it can; meanwhile the lanes stop, each
 * when its window is full.
 */
export class Recorder {
  readonly #store: Pick<DeliveryStore, 'settle'>;
  readonly #failed: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #linger: number;
  #waiting: Waiting[] = [];
  /** Results that the store was given and has not confirmed. */
  #written = 0;
  #writing: Promise<void> | null = null;

  /** `failed` is called for each error of the store, which is tried again, and for each error of a `recorded`. */
  constructor(
    store: Pick<DeliveryStore, 'settle'>,
    failed: (error: unknown) => void,
    { clock = systemClock, linger = 0 }: RecorderOptions = {},
  ) {
    this.#store = store;
    this.#failed = failed;
    this.#clock = clock;
    this.#linger = linger;
  }

  /** Records a delivery result; calls `recorded` when it is durable. */
  record(result: DeliveryResult, recorded: () => void): void {
    this.#waiting.push({ result, recorded });
    this.#writing ??= this.#write();
  }

  /** How many delivery results are not durable yet. */
  get pending(): number {
    return this.#waiting.length + this.#written;
  }

  /** Resolves when all results given so far are durable. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // One turn of the microtask queue collects what the same moment brings.
    await null;
    while (this.#waiting.length > 0) {
      if (this.#linger > 0 && this.#waiting.length < MANY) await pause(this.#linger, undefined, this.#clock);
      const batch = this.#waiting;
      this.#waiting = [];
      this.#written = batch.length;
      try {
        await this.#store.settle(batch.map(({ result }) => result));
      } catch (error) {
        this.#waiting = [...batch, ...this.#waiting];
        this.#written = 0;
        this.#failed(error);
        await pause(RETRY_MS, undefined, this.#clock);
        continue;
      }
      this.#written = 0;
      for (const { recorded } of batch) this.#tell(recorded);
    }
    this.#writing = null;
  }

  /** An error of one caller is reported, and keeps the others from nothing. */
  #tell(recorded: () => void): void {
    try {
      recorded();
    } catch (error) {
      this.#failed(error);
    }
  }
}
