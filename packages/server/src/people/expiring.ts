import type { ProfileWriter } from './contract.ts';
import type { Decider } from './decider.ts';

/** Where a clean-up goes on: first kind of event by kind of event, then person by person. */
export type ExpiryPlace = { readonly kind: number } | { readonly person: number };

/**
 * Forgets a page of what is from before a time: events, and then persons without a user id of whom nothing newer is known. Whose
 * events went is decided anew: what counted them may count fewer. Answers where to go on; null at the end.
 */
export async function expirePage(
  writer: ProfileWriter,
  decider: Decider,
  before: number,
  from: ExpiryPlace,
  page: { readonly events: number; readonly persons: number },
): Promise<ExpiryPlace | null> {
  if ('kind' in from) {
    const { persons, next } = await writer.expireEvents(before, from.kind, page.events);
    // Erased persons have no name; what they did is removed beside this.
    const left = await writer.names(persons);
    await decider.decide(new Map(left.map(({ person }) => [person, 'all'])));
    return next === null ? { person: 0 } : { kind: next };
  }
  const upTo = from.person + page.persons;
  await writer.expirePersons(before, { after: from.person, upTo });
  return upTo < (await writer.lastPerson()) ? { person: upTo } : null;
}
