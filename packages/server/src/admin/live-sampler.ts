/** The most items per second. */
const PER_SECOND = 50;
/** Parts in which the items of a second are sent. */
export const TICKS = 10;
const POOL = 2 * PER_SECOND;

/**
 * Chooses what a viewer gets if there is more than can be shown: at most 50 items in ten ticks, in order, spread evenly over all
 * offered ones. If few are offered, all are sent: at once, or for a burst of more than 5, over the next ticks.
 */
export class LiveSampler<T> {
  /** Chosen items of earlier ticks, not yet sent. */
  #left: T[] = [];
  /**
   * Items offered since the last tick. Bounded: when it is full, every other item is dropped, and from then on only every
   * `#stride`th item is added.
   */
  #pool: T[] = [];
  #stride = 1;
  #offered = 0;
  #tick = 0;
  #sent = 0;

  offer(item: T): void {
    if (this.#offered++ % this.#stride > 0) return;
    this.#pool.push(item);
    if (this.#pool.length < POOL) return;
    this.#pool = evenly(this.#pool, POOL / 2);
    this.#stride *= 2;
  }

  /** The items to send now. Call it `TICKS` times a second. */
  tick(): readonly T[] {
    if (this.#tick === TICKS) {
      this.#tick = 0;
      this.#sent = 0;
    }
    this.#tick++;
    const due = Math.floor((PER_SECOND * this.#tick) / TICKS) - this.#sent;
    const room = PER_SECOND - this.#sent;
    // If both do not fit, items of earlier ticks are dropped in favour of new ones, unless there are too few new ones.
    const isCrowded = this.#left.length + this.#offered > room && this.#offered >= due;
    const pool = evenly(isCrowded ? this.#pool : [...this.#left, ...this.#pool], room);
    const items = pool.slice(0, due);
    this.#left = pool.slice(due);
    this.#pool = [];
    this.#stride = 1;
    this.#offered = 0;
    this.#sent += items.length;
    return items;
  }
}

/** At most `count` of the items, at even distances. */
function evenly<T>(items: readonly T[], count: number): T[] {
  if (items.length <= count) return [...items];
  return items.filter((_, i) => Math.floor((i * count) / items.length) < Math.floor(((i + 1) * count) / items.length));
}
