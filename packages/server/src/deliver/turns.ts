import type { Clock } from '../core/clock.ts';

/** So many messages and requests are begun before the event loop turns to what else there is: some milliseconds' work. */
const AT_ONCE = 64;
/** So many of them by one runner while others wait for their part. */
const AT_ONCE_OF_ONE = 16;

/**
 * Shares the event loop between the runners of a process and all else that it does, collecting above all: when they have begun
 * `AT_ONCE`, they wait for the loop's next turn, each in its order. What is counted is work, not time, so that a simulation
 * repeats itself.
 */
export class Turns {
  readonly #clock: Clock;
  #left = AT_ONCE;
  /** What the runner whose part it is leaves to the others. */
  #reserved = 0;
  /** Runners that have more to begin, the one that waits longest first. */
  readonly #waiting = new Set<() => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether more may be begun now. */
  get open(): boolean {
    return this.#left > this.#reserved;
  }

  /** One more was begun. */
  spend(): void {
    if (--this.#left === 0) this.#clock.after(0, () => this.#next());
  }

  /** Calls `go` when more may be begun. */
  ask(go: () => void): void {
    this.#waiting.add(go);
  }

  #next(): void {
    this.#left = AT_ONCE;
    for (const go of this.#waiting) {
      if (this.#left <= 0) break;
      this.#waiting.delete(go);
      this.#reserved = this.#waiting.size > 0 ? Math.max(0, this.#left - AT_ONCE_OF_ONE) : 0;
      go();
    }
    this.#reserved = 0;
  }
}
