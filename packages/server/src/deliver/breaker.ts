/** A sustained outage: nothing succeeded in this many messages over at least this long. */
const MIN_FAILURES = 50;
const MIN_OUTAGE_MS = 10_000;
/** Wait before the first probe; each further one is twice as long, up to the longest. */
const FIRST_PROBE_MS = 5_000;
const LONGEST_PROBE_MS = 60_000;

export type BreakerState = 'closed' | 'open' | 'probing';

/**
 * The breaker of one destination.
 *
 * - **closed**: messages flow. A message that ends without success and could be retried counts as a failure; any answer
 *   that proves the endpoint alive ends the count. It opens on a sustained outage only.
 * - **open**: nothing is sent until `probeAt`.
 * - **probing**: one message is under way. If it succeeds the breaker closes, else it opens again for twice as long.
 */
export class Breaker {
  #state: BreakerState = 'closed';
  #failures = 0;
  #failingSince = 0;
  #probeAt = 0;
  #wait = FIRST_PROBE_MS;

  get state(): BreakerState {
    return this.#state;
  }

  /** When the next probe may go out, milliseconds since the epoch; null unless open. */
  get probeAt(): number | null {
    return this.#state === 'open' ? this.#probeAt : null;
  }

  /** Asks to send one message now; an open breaker whose wait is over lets exactly one through. */
  admits(now: number): boolean {
    if (this.#state === 'open' && now >= this.#probeAt) {
      this.#state = 'probing';
      return true;
    }
    return this.#state === 'closed';
  }

  /** An endpoint answered with success, or at least refused this very message. Answers whether an outage is over. */
  alive(): boolean {
    const recovered = this.#state !== 'closed';
    this.#state = 'closed';
    this.#failures = 0;
    this.#wait = FIRST_PROBE_MS;
    return recovered;
  }

  failed(now: number): void {
    if (this.#state === 'open') return;
    if (this.#state === 'probing') {
      this.#wait = Math.min(this.#wait * 2, LONGEST_PROBE_MS);
      this.#open(now);
      return;
    }
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures++;
    if (this.#failures >= MIN_FAILURES && now - this.#failingSince >= MIN_OUTAGE_MS) this.#open(now);
  }

  #open(now: number): void {
    this.#state = 'open';
    this.#probeAt = now + this.#wait;
  }
}
