/** Bits per id in the filter of a full run. With 4 probes, 0.24 % of look-ups are false positives. */
const POSITIONS_PER_ID = 16;
const PROBES = 4;
/** Eight filters share a byte at each position, one bit each. */
const GROUP = 8;

/**
 * Bloom filters of many runs, searched together. Eight filters share a group: at each position, one byte has a bit of each. So
 * one probe asks eight runs. An id that no run holds costs two or three cache misses instead of sixteen. Filters are numbered
 * from 0. A group takes 8 MB if a run has half a million ids.
 */
export class IdFilters {
  readonly #groups: (Uint8Array | undefined)[] = [];
  readonly #released: number[] = [];
  readonly #mask: number;
  #next = 0;

  /** `runSize` is the number of ids in a full run. */
  constructor(runSize: number) {
    this.#mask = 2 ** Math.ceil(Math.log2(runSize * POSITIONS_PER_ID)) - 1;
  }

  /** Makes an empty filter; answers its number. */
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

  /** Calls `visit` for each filter that may contain the hash, newest first, until `visit` returns true. */
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

  /** Releases a filter. The memory of a group is freed once all its filters are released. */
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
