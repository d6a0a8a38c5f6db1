/** Share of a second: requests that were not used in so much time may be made at once. */
const BURST = 0.05;

/**
 * Spaces the requests of a destination: at most `perSecond` in any second, and exactly as many in a backlog. Each node has a
 * share; a node that has used up its share leaves the lanes to the others.
 */
export class Pace {
  readonly #perSecond: () => number;
  #left = 1;
  #at = Number.NEGATIVE_INFINITY;

  /** `perSecond`: requests per second of this node; Infinity for no limit. */
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
