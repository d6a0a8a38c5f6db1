import type { ProfileWriter } from './contract.ts';
import type { Decider } from './decider.ts';

/** Where a clean-up continues: first the kinds of events one by one, then the persons. */
export type ExpiryPlace = { readonly kind: number } | { readonly person: number };

/**
 * Removes a page of what is from before a time: events, and then persons without a user id of whom nothing newer is known.
 * Persons that lost events are decided again, because their counts may be lower; without a decider, as during a rebuild, none is.
 * Answers where to continue; null at the end.
 */
export async function expirePage(
  writer: ProfileWriter,
  decider: Decider | null,
  before: number,
  from: ExpiryPlace,
  page: { readonly events: number; readonly persons: number },
): Promise<ExpiryPlace | null> {
  if ('kind' in from) {
    const { persons, next } = await writer.expireEvents(before, from.kind, page.events);
    if (decider !== null) {
      // Erased persons have no name; their events are removed elsewhere.
      const left = await writer.names(persons);
      await decider.decide(new Map(left.map(({ person }) => [person, 'all'])));
    }
    return next === null ? { person: 0 } : { kind: next };
  }
  const upTo = from.person + page.persons;
  await writer.expirePersons(before, { after: from.person, upTo });
  return upTo < (await writer.lastPerson()) ? { person: upTo } : null;
}
