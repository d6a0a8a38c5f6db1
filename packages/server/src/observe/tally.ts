import type { Counter } from 'prom-client';

/**
 * A counter for the hot path: `add` finds a number by one or two labels (about 20 ns) instead of hashing them into a string each
 * time (about 250 ns). `flush` adds the numbers to the registry's counter before each scrape.
 */
export class Tally {
  readonly #counter: Counter;
  readonly #labelNames: readonly string[];
  readonly #pending = new Map<string, Map<string, number>>();

  constructor(counter: Counter, labelNames: readonly string[]) {
    this.#counter = counter;
    this.#labelNames = labelNames;
  }

  add(count: number, first: string, second = ''): void {
    const row = this.#pending.get(first);
    if (row) row.set(second, (row.get(second) ?? 0) + count);
    else this.#pending.set(first, new Map([[second, count]]));
  }

  flush(): void {
    const [one = '', two] = this.#labelNames;
    for (const [first, row] of this.#pending) {
      for (const [second, count] of row) {
        this.#counter.inc(two === undefined ? { [one]: first } : { [one]: first, [two]: second }, count);
      }
    }
    this.#pending.clear();
  }
}
