import type { Condition } from './definition.ts';
import type { KnownPerson, PeopleQueries } from './queries.ts';

/** The audience that a definition would give now. */
export interface AudiencePreview {
  readonly size: number;
  readonly persons: number;
  readonly sample: readonly KnownPerson[];
}

/** Persons for whom a condition holds, and how many persons were searched. */
export interface HeldFor {
  readonly items: readonly KnownPerson[];
  /** The number after which the search continues; null at the last person. */
  readonly next: number | null;
  /** The share (0 to 1) of all persons that was searched up to there. */
  readonly searched: number;
}

interface SearchOptions {
  readonly after: number;
  readonly limit: number;
  readonly now: () => number;
  readonly signal: AbortSignal;
}

/** Persons counted by one question: it takes one or two tenths of a second, so that other questions can run in between. */
const RANGE = 50_000;

/** How long a search continues from range to range. */
const SEARCH_MS = 500;

/**
 * Counts the persons for whom a condition holds, range by range. When the signal aborts, because the caller has gone, it ends
 * after the present range with a partial answer.
 */
export async function previewAudience(
  queries: Pick<PeopleQueries, 'lastPerson' | 'count'>,
  condition: Condition,
  { now, sample, signal }: { readonly now: number; readonly sample: number; readonly signal: AbortSignal },
): Promise<AudiencePreview> {
  const last = await queries.lastPerson();
  const some: KnownPerson[] = [];
  let size = 0;
  let persons = 0;
  for (let after = 0; after < last && !signal.aborted; after += RANGE) {
    const range = { after, upTo: Math.min(last, after + RANGE) };
    const counted = await queries.count(condition, now, range, sample - some.length);
    size += counted.count;
    persons += counted.persons;
    some.push(...counted.sample);
  }
  return { size, persons, sample: some };
}

/**
 * The first persons after a number for whom a condition holds, by number. It searches range by range, until it has `limit`
 * persons, half a second has passed or the signal aborts.
 */
export async function findHolding(
  queries: Pick<PeopleQueries, 'lastPerson' | 'count'>,
  condition: Condition,
  { after, limit, now, signal }: SearchOptions,
): Promise<HeldFor> {
  const last = await queries.lastPerson();
  const begun = now();
  const items: KnownPerson[] = [];
  let reached = after;
  while (reached < last && items.length < limit && (reached === after || now() - begun < SEARCH_MS)) {
    if (signal.aborted) break;
    const range = { after: reached, upTo: Math.min(last, reached + RANGE) };
    const { count, sample } = await queries.count(condition, begun, range, limit - items.length);
    items.push(...sample);
    reached = count > sample.length ? (sample.at(-1)?.person ?? range.upTo) : range.upTo;
  }
  return { items, next: reached < last ? reached : null, searched: reached < last ? reached / last : 1 };
}
