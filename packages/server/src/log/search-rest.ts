import { pause } from '../core/pause.ts';

/** So many times as long as a piece of a search took. */
const RESTS = 19;

/** What a search does after each piece while there is much else to do. `ms`: how long the piece took. */
export function restFrom(ms: number): Promise<void> {
  return pause(RESTS * ms);
}
