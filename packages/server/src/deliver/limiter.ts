/** How many requests at once a URL gets before it has answered any, from all nodes together. */
const INITIAL = 8;
/** Shortest time between two reductions: failures of one moment count once. */
const CUT_INTERVAL_MS = 100;
/** Latency counts as steady up to this multiple of the best one, plus this much. */
const STEADY_FACTOR = 2;
const STEADY_SLACK_MS = 10;

/**
 * Adaptive concurrency of one URL. The limit grows while it is used and latency is steady: by one per success at first,
 * so that it doubles in each round trip, and after the first cut by about one per round trip. A sign of overload
 * (timeout, 429, 5xx, a broken connection) halves it. It is never below 1.
 *
 * Nodes that send to the same URL have a limit each. Wherever an endpoint is felt for, they are as careful together as one:
 * they begin with their shares, a success adds one wherever it was, and after a cut each grows by its share of one.
 */
export class Limiter {
  readonly #most: () => number;
  readonly #nodes: () => number;
  #limit: number;
  #probing = true;
  #cutAt = Number.NEGATIVE_INFINITY;
  #latency = 0;
  #best = Number.POSITIVE_INFINITY;

  /** `most`: the highest limit allowed now. `nodes`: how many nodes send to the URL, this one included. */
  constructor(most: () => number, nodes: () => number) {
    this.#most = most;
    this.#nodes = nodes;
    this.#limit = Math.min(most(), Math.max(1, INITIAL / nodes()));
  }

  get limit(): number {
    return Math.floor(Math.min(this.#limit, this.#most()));
  }

  /** A success that took `ms`, with `inFlight` requests under way (itself included). */
  succeeded(ms: number, inFlight: number): void {
    this.#latency = this.#latency === 0 ? ms : this.#latency * 0.9 + ms * 0.1;
    // The best latency is forgotten slowly: an endpoint that stays slower must not be limited for ever.
    this.#best = Math.min(ms, this.#best * 1.001 + 0.001);
    if (this.#latency > this.#best * STEADY_FACTOR + STEADY_SLACK_MS) {
      this.#probing = false;
    } else if (inFlight >= this.limit) {
      this.#limit = Math.min(this.#most(), this.#limit + (this.#probing ? 1 : 1 / (this.#limit * this.#nodes())));
    }
  }

  overloaded(now: number): void {
    if (now - this.#cutAt < CUT_INTERVAL_MS) return;
    this.#cutAt = now;
    this.#probing = false;
    this.#limit = Math.max(1, Math.min(this.#limit, this.#most()) / 2);
  }

  /** Starts again from 1: the endpoint has just recovered, and must not be overrun. */
  restart(): void {
    this.#limit = 1;
    this.#probing = true;
  }
}
