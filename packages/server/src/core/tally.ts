import type { Attempt } from './delivery.ts';
import { classifyStatus, NOT_SENT, SEND_ERRORS, type SendErrorCode } from './send-error.ts';

/** How many attempts ended in one way, and when the first and the last of them began (milliseconds since the epoch). */
export type Tally = readonly [count: number, firstAt: number, lastAt: number];

/** Attempts by how they ended and at which URL (its id): `ok url_…`, `503 url_…`, `timeout url_…`. */
export type Tallies = ReadonlyMap<string, Tally>;

/** Most different ends that one step of the statistics counts by themselves; the rarest of more are counted under `REST`. */
export const MOST_TALLIES = 64;

/** The key under which the rarest ends are counted together. */
export const REST = 'other ';

/** The parts of a key of tallies. */
export function partsOf(key: string): [end: string, webhookId: string] {
  const space = key.indexOf(' ');
  return [key.slice(0, space), key.slice(space + 1)];
}

/** How an attempt ended: its status, else its error; `ok` for a success. Null when no request was sent. */
export function endOf({ status, error }: Pick<Attempt, 'status' | 'error'>): string | null {
  if (status !== null) return status >= 200 && status < 300 ? 'ok' : String(status);
  return NOT_SENT.has(error) ? null : error;
}

/**
 * The attempt by which a message failed, among the last requests to each URL that has not taken it (where all URLs must take a
 * message, some may have): a final refusal before a failure that may pass, before an attempt that sent no request. Of equals the last.
 */
export function lastFailure<T extends Ended>(attempts: readonly T[]): T | undefined {
  const tried = new Set<string>();
  let found: T | undefined;
  for (const attempt of attempts.toReversed()) {
    const url = attempt.webhookId ?? attempt.url;
    if (tried.has(url)) continue;
    const end = endOf(attempt);
    if (end !== null) tried.add(url);
    if (end !== 'ok' && (!found || gravity(end) > gravity(endOf(found)))) found = attempt;
  }
  return found;
}

function gravity(end: string | null): number {
  return end === null ? 0 : 1 + Number(isFinal(end));
}

/** Whether a message that met this end (`endOf`) is not tried again at that URL. A destination's own settings for some statuses are not looked at. */
export function isFinal(end: string): boolean {
  if (/^\d{3}$/.test(end)) return classifyStatus(Number(end)) === 'permanent';
  return Object.hasOwn(SEND_ERRORS, end) && SEND_ERRORS[end as SendErrorCode].class === 'permanent';
}

type Ended = Pick<Attempt, 'status' | 'error' | 'url' | 'webhookId'>;

/** How a message failed: the end of the attempt by which it failed, or the recorded reason where there was no attempt. */
export function failureOf(
  lastFailure: Pick<Attempt, 'status' | 'error'> | undefined,
  reason: string | null,
): string | null {
  return lastFailure ? String(lastFailure.status ?? lastFailure.error) : reason;
}

/** Whether an end is the wanted one: `503`, `5xx`, `timeout`. */
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

/** The most frequent ends, and all others as one. */
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

/** Tallies as JSON text; empty where there are none. */
export function talliesText(tallies: Tallies): string {
  return tallies.size === 0 ? '' : JSON.stringify(Object.fromEntries(boundedTallies(tallies)));
}

export function talliesIn(text: string): [string, Tally][] {
  return text === '' ? [] : Object.entries(JSON.parse(text) as Record<string, Tally>);
}
