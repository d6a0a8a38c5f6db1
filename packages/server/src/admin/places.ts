import { Fault } from '../core/fault.ts';

/** So many at once, and so many of them of one caller: others must find room. */
export interface MostAtOnce {
  readonly all: number;
  readonly ofOne: number;
}

export interface PlacesOptions extends MostAtOnce {
  /** What takes a place, in words: `streams are open`. */
  readonly what: string;
  /** How there is one again: `Close one`. */
  readonly advice: string;
  /** When to try again, seconds. */
  readonly retryAfter: number;
}

/** The places for what callers keep open or under way. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #taken: string[] = [];

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Takes one, which the answer gives back. @throws Fault `overloaded` when there is none for one more of `who`. */
  take(who: string): () => void {
    const { all, ofOne } = this.#options;
    if (this.#taken.length >= all) throw this.#full(all, 'at once');
    if (this.#taken.filter((other) => other === who).length >= ofOne) throw this.#full(ofOne, 'of one caller');
    this.#taken.push(who);
    return () => void this.#taken.splice(this.#taken.indexOf(who), 1);
  }

  #full(count: number, of: string): Fault {
    const { what, advice, retryAfter } = this.#options;
    const message = `${count} ${what} already, which is the most ${of}. ${advice} and try again.`;
    return new Fault('overloaded', message, { retryAfter });
  }
}
