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
/** So many are written at once, however long more could be waited for. */
const MANY = 100;

export interface RecorderOptions {
  readonly clock?: Clock;
  /** How long a few outcomes wait for more, milliseconds; 0, the default, for no longer than the batch before takes. */
  readonly linger?: number;
}

/**
 * Records what became of messages, many at a time: while one batch is being written the next one fills. A message is
 * given up by its lane only when its record is durable. What the store cannot take is kept and tried again until it can:
 * meanwhile the lanes stand still, each at its window.
 */
export class Recorder {
  readonly #store: Pick<DeliveryStore, 'settle'>;
  readonly #failed: (error: unknown) => void;
  readonly #clock: Clock;
  readonly #linger: number;
  #waiting: Waiting[] = [];
  /** Given to the store, which has not answered. */
  #written = 0;
  #writing: Promise<void> | null = null;

  /** `failed` is told of each error of the store, where the recorder tries again, and of those of a `recorded`. */
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

  /** Resolves when everything given so far is durable. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // Lingers one turn of the microtask queue, for what the same moment brings.
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

  /** One that throws is reported, and keeps nothing from the others. */
  #tell(recorded: () => void): void {
    try {
      recorded();
    } catch (error) {
      this.#failed(error);
    }
  }
}
