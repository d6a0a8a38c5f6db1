import type { Condition } from './definition.ts';
import type { KnownPerson, PeopleQueries } from './queries.ts';

/** What an audience would be now. */
export interface AudiencePreview {
  readonly size: number;
  readonly persons: number;
  readonly sample: readonly KnownPerson[];
}

/** Persons counted in one question: a tenth of a second or two, so that other questions have their turn between. */
const RANGE = 50_000;

/**
 * Counts whom a condition holds for, range by range. When the signal aborts, whoever asked has gone away: then it ends with
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
