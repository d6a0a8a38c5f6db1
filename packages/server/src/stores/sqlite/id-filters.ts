/** Positions an id of a full run: with 4 probes, 0.24 % false positives. */
const POSITIONS_PER_ID = 16;
const PROBES = 4;
/** A byte at each position holds one bit of eight filters. */
const GROUP = 8;

/**
 * Bloom filters of many runs, asked at once. They are cut the other way round: the bits that eight filters have at one
 * position share a byte, so that one probe asks eight runs, and an id that none of them holds costs two or three
 * cache misses instead of sixteen. A filter is a number, counted from 0; each group of eight takes 8 MB for runs of half a
 * million ids.
 */
export class IdFilters {
  readonly #groups: (Uint8Array | undefined)[] = [];
  readonly #released: number[] = [];
  readonly #mask: number;
  #next = 0;

  /** For runs of `runSize` ids. */
  constructor(runSize: number) {
    this.#mask = 2 ** Math.ceil(Math.log2(runSize * POSITIONS_PER_ID)) - 1;
  }

  /** A new, empty filter. */
  open(): number {
    const filter = this.#next++;
    if (filter % GROUP === 0) {
      this.#groups.push(new Uint8Array(this.#mask + 1));
      this.#released.push(0);
    }
    return filter;
  }

  add(filter: number, high: number, low: number): void {
    const group = this.#groups[Math.floor(filter / GROUP)];
    if (!group) return;
    for (let probe = 0; probe < PROBES; probe++) {
      const position = positionOf(high, low, probe) & this.#mask;
      group[position] = (group[position] ?? 0) | (1 << (filter % GROUP));
    }
  }

  /** Calls `visit` for each filter that may hold the hash, the newest first, until it answers true. */
  match(high: number, low: number, visit: (filter: number) => boolean): void {
    for (let index = this.#groups.length - 1; index >= 0; index--) {
      const group = this.#groups[index];
      if (!group) continue;
      let filters = 0xff;
      for (let probe = 0; probe < PROBES && filters !== 0; probe++) {
        filters &= group[positionOf(high, low, probe) & this.#mask] ?? 0;
      }
      while (filters !== 0) {
        const bit = 31 - Math.clz32(filters);
        filters &= ~(1 << bit);
        if (visit(index * GROUP + bit)) return;
      }
    }
  }

  /** Gives a filter up. The memory of a group comes back when all its filters are given up. */
  release(filter: number): void {
    const index = Math.floor(filter / GROUP);
    const released = (this.#released[index] ?? 0) + 1;
    this.#released[index] = released;
    if (released === GROUP) this.#groups[index] = undefined;
  }
}

function positionOf(high: number, low: number, probe: number): number {
  return low + Math.imul(probe, high | 1);
}
