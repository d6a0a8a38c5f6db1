/** Most items a second. */
const PER_SECOND = 50;
/** A second goes out in so many pieces. */
export const TICKS = 10;
const POOL = 2 * PER_SECOND;

/**
 * Chooses what a viewer gets of more than can be shown: at most 50 items in ten ticks, in their order, spread evenly over
 * all that were offered. Where few are offered, all go out: at once, or when a burst is over 5 of them, in the ticks that
 * follow.
 */
export class LiveSampler<T> {
  /** Of ticks before; for when there is room. */
  #left: T[] = [];
  /** Offered since. Bounded: when it is full every other one goes, and from then on only every `#stride`th comes. */
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

  /** What goes out now. To be called `TICKS` times a second. */
  tick(): readonly T[] {
    if (this.#tick === TICKS) {
      this.#tick = 0;
      this.#sent = 0;
    }
    this.#tick++;
    const due = Math.floor((PER_SECOND * this.#tick) / TICKS) - this.#sent;
    const room = PER_SECOND - this.#sent;
    // What is left would crowd out what comes: it goes, unless there is room for all of both or too little else.
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
