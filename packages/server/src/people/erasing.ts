import type { Cut } from '../core/position.ts';
import type { ProfileWriter } from './contract.ts';

/**
 * Erases the persons of these user ids, each whole: a person of several ids goes with all of them. What was known of them
 * is kept as an erasure; one that is under way already stays as it is.
 */
export async function erasePersons(
  writer: ProfileWriter,
  id: string,
  userIds: readonly string[],
  through: Cut,
): Promise<void> {
  if ((await writer.erasure(id)) !== null) return;
  const named = new Map((await writer.identities(userIds)).map((identity) => [identity.id, identity.person]));
  const persons = [...new Set(named.values())];
  const identities = Map.groupBy(await writer.identitiesOf(persons), ({ person }) => person);
  const seen = await writer.sourcesOf(persons);
  const sources = userIds.map((userId) => seen.get(named.get(userId) ?? 0) ?? []);
  const ids = userIds.map((userId) => {
    const person = named.get(userId);
    const others = person === undefined ? [] : (identities.get(person) ?? []);
    return [...new Set([userId, ...others.map((identity) => identity.id)])];
  });
  await writer.erase({ id, through, ids, sources }, persons);
}
