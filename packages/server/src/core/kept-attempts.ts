import type { Attempt } from './delivery.ts';
import { MAX_WEBHOOKS } from './destination.ts';
import { endOf } from './tally.ts';

/** Most attempts of a message that are kept. With the default retry settings a message makes at most 55 at one URL. */
export const MOST_ATTEMPTS = 60;

/** With more attempts than this, one more round may make them more than are kept: a round has one for each URL. */
export const NEARLY_MOST: number = MOST_ATTEMPTS - MAX_WEBHOOKS;

/** Stored lines of fewer characters have no more attempts than are kept: an attempt takes 80 characters at least. */
export const SHORTEST_LONG: number = 80 * MOST_ATTEMPTS;

/** So many of the first attempts stay. The rest of the room is for the last ones. */
const FIRST = 10;

/** Most attempts that stay only because they are a URL's first failure, or its last attempt of some end. */
const MOST_MARKED = 30;

/**
 * The attempts of a message that are kept: the first and the last ones, and of each URL its first failure, and its last success,
 * failure and attempt that sent no request. So all that is concluded from attempts stays right. Each attempt says how many
 * were left out before it (`leftOut`).
 */
export function keptAttempts<T extends Attempt>(attempts: readonly T[]): readonly T[] {
  if (attempts.length <= MOST_ATTEMPTS) return attempts;
  const kept = marked(attempts);
  for (const attempt of [...attempts.slice(0, FIRST), ...attempts.toReversed()]) {
    if (kept.size < MOST_ATTEMPTS) kept.add(attempt);
  }
  const rest: T[] = [];
  let leftOut = 0;
  for (const attempt of attempts) {
    leftOut += attempt.leftOut ?? 0;
    if (kept.has(attempt)) {
      rest.push(leftOut === 0 ? attempt : { ...attempt, leftOut });
      leftOut = 0;
    } else leftOut++;
  }
  return rest;
}

/** The attempts that stay wherever they are in the list. The newest come first, because a URL may be replaced many times. */
function marked<T extends Attempt>(attempts: readonly T[]): Set<T> {
  const first = new Map<string, T>();
  const last = new Map<string, T>();
  for (const attempt of attempts) {
    const end = endOf(attempt);
    const kind = end === 'ok' ? 'success' : end === null ? 'unsent' : 'failure';
    const key = `${kind} ${attempt.webhookId ?? attempt.url}`;
    // Set anew, so that the map is in the order of the last ones.
    last.delete(key);
    last.set(key, attempt);
    if (kind === 'failure' && !first.has(key)) first.set(key, attempt);
  }
  const newest = [...first.values(), ...last.values()].toReversed();
  return new Set(newest.slice(0, MOST_MARKED));
}
