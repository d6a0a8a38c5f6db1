/**
 * A URL is judged when something has waited for it for this long, milliseconds. A fast URL that asks once for a pause of ten seconds
 * has taken by then what came in the pause.
 */
const JUDGED_AFTER_MS = 15_000;
/** What was longer ago than about this counts half as much, or nothing where nothing has waited since. Half of it is enough to judge. */
const HALVED_AFTER_MS = 2 * JUDGED_AFTER_MS;
/** More time at once counts as this much: the machine slept, or its clock was set forward. */
const LONGEST_STEP_MS = JUDGED_AFTER_MS / 2;

/** How fast a URL takes messages. Only the time counts in which some waited: at other times it was not asked for more. */
export class Throughput {
  #ended = 0;
  /** Time that is counted, milliseconds. */
  #ms = 0;
  #countedTo = Number.NEGATIVE_INFINITY;
  #isCounting = false;

  /** A message waits: from now on time counts. */
  begin(now: number): void {
    if (this.#isCounting) return;
    if (now - this.#countedTo > HALVED_AFTER_MS) this.forget();
    this.#isCounting = true;
    this.#countedTo = now;
  }

  /** The queue is empty: time does not count until a message waits. */
  rest(): void {
    this.#isCounting = false;
  }

  /** Begins to measure anew: earlier requests say nothing about the next ones. */
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
    this.#ms /= 2;
    this.#ended /= 2;
  }
}
