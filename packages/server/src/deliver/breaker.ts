/** A sustained outage: nothing succeeded in this many messages over at least this long. */
const MIN_FAILURES = 50;
const MIN_OUTAGE_MS = 10_000;
/** Wait before the first probe; it doubles for each further probe, up to the longest. Several nodes share the probes. */
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
 *
 * Other nodes have breakers of their own for the same destination. Between them the probes are as many as one node's: each
 * waits longer the more nodes there are, by chance, so that they spread. What another node tells only ever brings something
 * forward: an outage, where this node has no success to say against it; a probe, once the endpoint is back.
 */
export class Breaker {
  readonly #nodes: () => number;
  readonly #random: () => number;
  #state: BreakerState = 'closed';
  #failures = 0;
  #failingSince = 0;
  #probeAt = 0;
  #wait = FIRST_PROBE_MS;
  #aliveAt = Number.NEGATIVE_INFINITY;

  /** `nodes`: how many nodes there are, this one included. `random`: uniform in [0, 1). */
  constructor(nodes: () => number, random: () => number) {
    this.#nodes = nodes;
    this.#random = random;
  }

  get state(): BreakerState {
    return this.#state;
  }

  /** When the next probe may go out, milliseconds since the epoch; null unless open. */
  get probeAt(): number | null {
    return this.#state === 'open' ? this.#probeAt : null;
  }

  /** Whether one message may be sent now. An open breaker whose wait is over lets exactly one through. */
  admits(now: number): boolean {
    if (this.#state === 'open' && now >= this.#probeAt) {
      this.#state = 'probing';
      return true;
    }
    return this.#state === 'closed';
  }

  /** An endpoint took a message, or refused that very message. Answers whether this ends an outage. */
  alive(now: number): boolean {
    this.#aliveAt = now;
    const recovered = this.#state !== 'closed';
    this.#state = 'closed';
    this.#failures = 0;
    this.#wait = FIRST_PROBE_MS;
    return recovered;
  }

  /**
   * Counts a failure; answers whether it begins an outage. `isRest`: other URLs took the message before. Then the destination is
   * not dead, but it has not recovered either.
   */
  failed(now: number, isRest = false): boolean {
    if (this.#state === 'open' || (isRest && this.#state === 'closed')) return false;
    if (this.#state === 'probing') {
      this.#wait = Math.min(this.#wait * 2, LONGEST_PROBE_MS);
      this.#open(now);
      return false;
    }
    if (this.#failures === 0) this.#failingSince = now;
    this.#failures++;
    const begins = this.#failures >= MIN_FAILURES && now - this.#failingSince >= MIN_OUTAGE_MS;
    if (begins) this.#open(now);
    return begins;
  }

  /** Another node has reported an outage. */
  toldDown(now: number): void {
    if (this.#state === 'closed' && now - this.#aliveAt >= MIN_OUTAGE_MS) this.#open(now);
  }

  /** Another node sends again: the next probe may go out at once. */
  toldUp(now: number): void {
    if (this.#state === 'open') this.#probeAt = Math.min(this.#probeAt, now);
  }

  #open(now: number): void {
    this.#state = 'open';
    this.#probeAt = now + this.#wait * (1 + 2 * this.#random() * (this.#nodes() - 1));
  }
}
