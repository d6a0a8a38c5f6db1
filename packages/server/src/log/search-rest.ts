import { pause } from '../core/pause.ts';

/** A rest is this many times as long as the part of the search before it. */
const RESTS = 49;

/** The pause of a search after each part while the process has other work. `ms`: how long the part took. */
export function restFrom(ms: number): Promise<void> {
  return pause(RESTS * ms);
}
