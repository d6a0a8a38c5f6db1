import type { Counter } from 'prom-client';

/**
 * A counter for the hot path: adding finds a number by its one or two labels (about 20 ns) instead of hashing them into
 * a string each time (about 250 ns). What was added reaches the registry's counter at `flush`, before each scrape.
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
