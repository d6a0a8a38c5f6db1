/** Of a second: so much that was not used may be used at once. */
const BURST = 0.05;

/**
 * Spaces the requests of a destination so that they are at most so many a second, and in a backlog just as many. Nodes have
 * a share each: a node that has used its own leaves the lanes to the others.
 */
export class Pace {
  readonly #perSecond: () => number;
  #left = 1;
  #at = Number.NEGATIVE_INFINITY;

  /** `perSecond`: of this node; infinite for no limit. */
  constructor(perSecond: () => number) {
    this.#perSecond = perSecond;
  }

  free(now: number): boolean {
    return this.#refilled(now) >= 1;
  }

  /** One request begins. */
  take(now: number): void {
    this.#left = this.#refilled(now) - 1;
  }

  /** When the next request may begin, milliseconds since the epoch; null for now. */
  nextAt(now: number): number | null {
    const left = this.#refilled(now);
    return left >= 1 ? null : now + Math.ceil(((1 - left) / this.#perSecond()) * 1000);
  }

  #refilled(now: number): number {
    const rate = this.#perSecond();
    if (rate === Number.POSITIVE_INFINITY) return rate;
    const since = Math.max(0, now - this.#at) / 1000;
    this.#at = now;
    this.#left = Math.min(Math.max(1, rate * BURST), this.#left + since * rate);
    return this.#left;
  }
}
