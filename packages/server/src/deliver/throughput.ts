/**
 * A URL is judged when something has waited for it for this long, milliseconds: a pause of ten seconds that it asks for once, and
 * the time in which it takes what has come meanwhile, say nothing.
 */
const JUDGED_AFTER_MS = 15_000;
/** What was longer ago than about this counts half as much, or nothing where nothing has waited since. */
const HALVED_AFTER_MS = 30_000;
/** More time at once counts as this much: the machine slept, or its clock was set forward. */
const LONGEST_STEP_MS = JUDGED_AFTER_MS / 2;

/** How fast a URL takes messages. Only the time counts in which some waited: at other times it was not asked for more. */
export class Throughput {
  #ended = 0;
  /** Time that is counted, milliseconds. */
  #ms = 0;
  #countedTo = Number.NEGATIVE_INFINITY;
  #isCounting = false;

  /** Something waits. */
  begin(now: number): void {
    if (this.#isCounting) return;
    if (now - this.#countedTo > HALVED_AFTER_MS) this.forget();
    this.#isCounting = true;
    this.#countedTo = now;
  }

  /** Nothing waits any more. */
  rest(): void {
    this.#isCounting = false;
  }

  /** What was is no measure any more. */
  forget(): void {
    this.#ended = 0;
    this.#ms = 0;
  }

  /** A request has ended. */
  ended(now: number): void {
    this.#count(now);
    if (this.#isCounting) this.#ended++;
  }

  /** How many requests end in so many milliseconds; Infinity where that is not known. */
  within(ms: number, now: number): number {
    this.#count(now);
    return this.#ms < JUDGED_AFTER_MS ? Number.POSITIVE_INFINITY : (this.#ended / this.#ms) * ms;
  }

  #count(now: number): void {
    if (!this.#isCounting) return;
    this.#ms += Math.min(Math.max(0, now - this.#countedTo), LONGEST_STEP_MS);
    this.#countedTo = now;
    if (this.#ms <= HALVED_AFTER_MS) return;
    // Not below what it is judged by.
    const share = Math.max(JUDGED_AFTER_MS / this.#ms, 0.5);
    this.#ms *= share;
    this.#ended *= share;
  }
}
