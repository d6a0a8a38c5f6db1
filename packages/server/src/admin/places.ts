import { Fault } from '../core/fault.ts';

/** The limits of things at the same time: of all callers, and of one caller. */
export interface MostAtOnce {
  readonly all: number;
  readonly ofOne: number;
}

export interface PlacesOptions extends MostAtOnce {
  /** The things that take places, in words: `streams are open`. */
  readonly what: string;
  /** How to free a place: `Close one`. */
  readonly advice: string;
  /** When to try again, seconds. */
  readonly retryAfter: number;
}

/** Limits what callers keep open or running. */
export class Places {
  readonly #options: PlacesOptions;
  readonly #taken: string[] = [];

  constructor(options: PlacesOptions) {
    this.#options = options;
  }

  /** Takes a place; calling the answer frees it. @throws Fault `overloaded` if `who` or all together have too many. */
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
