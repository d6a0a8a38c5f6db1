import type { Condition } from './definition.ts';
import type { KnownPerson, PeopleQueries } from './queries.ts';

/** What an audience would be now. */
export interface AudiencePreview {
  readonly size: number;
  readonly persons: number;
  readonly sample: readonly KnownPerson[];
}

/** Persons for whom a condition holds, and how far they were looked for. */
export interface HeldFor {
  readonly items: readonly KnownPerson[];
  /** The number after which the search goes on; null when it has come to the last person. */
  readonly next: number | null;
  /** Of 1, how much of all persons was looked through up to there. */
  readonly searched: number;
}

/** Persons counted in one question: a tenth of a second or two, so that other questions have their turn between. */
const RANGE = 50_000;

/** How long a search goes on from range to range. */
const SEARCH_MS = 500;

/**
 * Counts whom a condition holds for, range by range. When the signal aborts, the caller has gone away: then it ends with
 * the range under way, and its answer is only a part.
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
 * The first persons after a number for whom a condition holds, by number: range by range, until there are `limit` of them, or half a
 * second has passed.
 */
export async function findHolding(
  queries: Pick<PeopleQueries, 'lastPerson' | 'count'>,
  condition: Condition,
  { after, limit, now }: { readonly after: number; readonly limit: number; readonly now: () => number },
): Promise<HeldFor> {
  const last = await queries.lastPerson();
  const begun = now();
  const items: KnownPerson[] = [];
  let reached = after;
  while (reached < last && items.length < limit && (reached === after || now() - begun < SEARCH_MS)) {
    const range = { after: reached, upTo: Math.min(last, reached + RANGE) };
    const { count, sample } = await queries.count(condition, begun, range, limit - items.length);
    items.push(...sample);
    reached = count > sample.length ? (sample.at(-1)?.person ?? range.upTo) : range.upTo;
  }
  return { items, next: reached < last ? reached : null, searched: reached < last ? reached / last : 1 };
}
