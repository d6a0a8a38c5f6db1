const SECONDS = 10;
/** A power of two: the last 10 seconds, the present one, and spare. */
const SLOTS = 16;

/** How many a second, as the mean of the last 10 whole seconds. */
export class Rate {
  readonly #counts = new Float64Array(SLOTS);
  /** The second that each slot counts. */
  readonly #seconds = new Float64Array(SLOTS).fill(-1);

  /** @param now Milliseconds since the epoch. */
  add(count: number, now: number): void {
    const second = Math.floor(now / 1000);
    const slot = second % SLOTS;
    if (this.#seconds[slot] !== second) {
      this.#seconds[slot] = second;
      this.#counts[slot] = 0;
    }
    this.#counts[slot] = (this.#counts[slot] ?? 0) + count;
  }

  mean(now: number): number {
    const second = Math.floor(now / 1000);
    let sum = 0;
    for (let each = second - SECONDS; each < second; each++) {
      if (this.#seconds[each % SLOTS] === each) sum += this.#counts[each % SLOTS] ?? 0;
    }
    return sum / SECONDS;
  }
}
