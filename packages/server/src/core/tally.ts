import type { Attempt } from './delivery.ts';

/** How many attempts ended in one way, and when the first and the last of them began (milliseconds since the epoch). */
export type Tally = readonly [count: number, firstAt: number, lastAt: number];

/** Attempts by how they ended and at which URL (its id): `ok url_…`, `503 url_…`, `timeout url_…`. */
export type Tallies = ReadonlyMap<string, Tally>;

/** The ends that one step of the statistics keeps apart; the rarest beyond them are counted under `REST`. */
export const MOST_TALLIES = 64;

/** Where ends are counted that are too many to be kept apart. */
export const REST = 'other ';

/** Outcomes of requests that were never sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['url_stalled', 'aborted', 'paused', 'order_given_up']);

/** How an attempt ended: its status, else its error; `ok` for a success. Null when no request was sent. */
export function endOf({ status, error }: Pick<Attempt, 'status' | 'error'>): string | null {
  if (status !== null) return status >= 200 && status < 300 ? 'ok' : String(status);
  return error === null || NOT_SENT.has(error) ? null : error;
}

/**
 * The attempt that a failed message failed by: the last one at a URL that has not taken it. Where each URL has to take it, others may
 * have.
 */
export function lastFailure<T extends Ended>(attempts: readonly T[]): T | undefined {
  const took = new Set<string>();
  return attempts.findLast((attempt) => {
    const url = attempt.webhookId ?? attempt.url;
    const isTaken = endOf(attempt) === 'ok' || took.has(url);
    if (isTaken) took.add(url);
    return !isTaken;
  });
}

type Ended = Pick<Attempt, 'status' | 'error' | 'url' | 'webhookId'>;

/** How a failed message failed: the end of that attempt, or why it failed where there is none. */
export function failureOf(
  lastFailure: Pick<Attempt, 'status' | 'error'> | undefined,
  reason: string | null,
): string | null {
  return lastFailure ? String(lastFailure.status ?? lastFailure.error) : reason;
}

/** Whether an end is one that was asked for: `503`, `5xx`, `timeout`. */
export function isEnd(end: string | null, asked: string): boolean {
  return end === asked || (end !== null && /^\dxx$/.test(asked) && /^\d{3}$/.test(end) && end[0] === asked[0]);
}

/** Adds tallies to those of `into`. */
export function addTallies(into: Map<string, Tally>, more: Iterable<readonly [string, Tally]>): void {
  for (const [key, [count, firstAt, lastAt]] of more) {
    const known = into.get(key);
    into.set(
      key,
      known ? [known[0] + count, Math.min(known[1], firstAt), Math.max(known[2], lastAt)] : [count, firstAt, lastAt],
    );
  }
}

/** The most frequent ends, and the others as one. */
export function boundedTallies(tallies: Tallies): Tallies {
  if (tallies.size <= MOST_TALLIES) return tallies;
  const ranked = [...tallies].toSorted(([, a], [, b]) => b[0] - a[0]);
  const kept = new Map(ranked.slice(0, MOST_TALLIES - 1));
  addTallies(
    kept,
    ranked.slice(MOST_TALLIES - 1).map(([, tally]) => [REST, tally] as const),
  );
  return kept;
}

/** As JSON text; empty where nothing was tried. */
export function talliesText(tallies: Tallies): string {
  return tallies.size === 0 ? '' : JSON.stringify(Object.fromEntries(boundedTallies(tallies)));
}

export function talliesIn(text: string): [string, Tally][] {
  return text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, Tally>);
}
