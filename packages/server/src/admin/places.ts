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

/** Takes a place for `who`; calling the answer frees it. @throws Fault `overloaded` if `who` or all together have too many. */
export type TakePlace = (who: string) => () => void;

/** Limits what callers keep open or running. */
export function places({ all, ofOne, what, advice, retryAfter }: PlacesOptions): TakePlace {
  const taken: string[] = [];
  const full = (count: number, of: string): Fault => {
    const message = `${count} ${what} already, which is the most ${of}. ${advice} and try again.`;
    return new Fault('overloaded', message, { retryAfter });
  };
  return (who) => {
    if (taken.length >= all) throw full(all, 'at once');
    if (taken.filter((other) => other === who).length >= ofOne) throw full(ofOne, 'of one caller');
    taken.push(who);
    return () => void taken.splice(taken.indexOf(who), 1);
  };
}
