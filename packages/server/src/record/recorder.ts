import type { Settlement } from '../core/delivery.ts';

/** What the recorder needs of the store (record/contract.ts). */
export interface SettlementSink {
  settle(batch: readonly Settlement[]): Promise<void>;
}

interface Waiting {
  readonly settlement: Settlement;
  readonly recorded: () => void;
}

/**
 * Records what became of messages, many at a time: while one batch is being written the next one gathers. A message is
 * given up by its lane only when its record is durable.
 */
export class Recorder {
  readonly #sink: SettlementSink;
  readonly #failed: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #writing: Promise<void> | null = null;

  /** `failed` is told of an error of the store; what it could not take is not recorded and will be handed out again. */
  constructor(sink: SettlementSink, failed: (error: unknown) => void) {
    this.#sink = sink;
    this.#failed = failed;
  }

  /** Records a settlement; calls `recorded` when it is durable. */
  record(settlement: Settlement, recorded: () => void): void {
    this.#waiting.push({ settlement, recorded });
    this.#writing ??= this.#write();
  }

  /** Resolves when everything given so far is durable. */
  async flush(): Promise<void> {
    await this.#writing;
  }

  async #write(): Promise<void> {
    // One turn of the microtask queue gathers what the same moment brings.
    await null;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        await this.#sink.settle(batch.map(({ settlement }) => settlement));
        for (const { recorded } of batch) recorded();
      } catch (error) {
        this.#failed(error);
      }
    }
    this.#writing = null;
  }
}
