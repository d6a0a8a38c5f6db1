import type { Offsets } from '../core/position.ts';
import type { Identity, ProfileReader, ProfileWriter } from './contract.ts';
import { isUser } from './identity.ts';

/**
 * Erases the persons of these user ids with all their ids. What was known of them is kept as an erasure; an erasure of this id
 * that is under way stays as it is.
 */
export async function erasePersons(
  writer: ProfileWriter,
  id: string,
  userIds: readonly string[],
  through: Offsets,
): Promise<void> {
  if ((await writer.erasure(id)) !== null) return;
  const named = new Map((await writer.identities(userIds)).map((identity) => [identity.id, identity.person]));
  const persons = [...new Set(named.values())];
  const all = await writer.identitiesOf(persons);
  const identities = Map.groupBy(all, ({ person }) => person);
  const strangers = strangersAmong(userIds, named);
  for (const { id, person } of strangers) named.set(id, person);
  const spoken = await spokenBy(writer, [...all, ...strangers]);
  const sources = userIds.map((userId) => [...(spoken.get(named.get(userId) ?? 0) ?? [])]);
  const ids = userIds.map((userId) => {
    const person = named.get(userId);
    const others = person === undefined ? [] : (identities.get(person) ?? []);
    return [...new Set([userId, ...others.map((identity) => identity.id)])];
  });
  await writer.erase({ id, through, ids, anonymousIds: anonymousAmong(all, userIds), sources }, persons);
}

/** Ids that no call had as its userId, without those that were asked for: other users may share them. */
export function anonymousAmong(identities: readonly Identity[], userIds: readonly string[]): string[] {
  const asked = new Set(userIds);
  return identities.filter((identity) => !isUser(identity) && !asked.has(identity.id)).map(({ id }) => id);
}

/**
 * Ids that belong to no person, each as a person of its own with a number below 0. What was sent for them is still stored where
 * the log no longer had their calls when the persons were rebuilt.
 */
export function strangersAmong(userIds: readonly string[], known: ReadonlyMap<string, unknown>): readonly Identity[] {
  const strangers = userIds.filter((userId) => !known.has(userId));
  return strangers.map((id, i) => ({ id, person: -1 - i, since: null, aliased: null }));
}

/**
 * The sources that have named persons, by the person's number: sources of calls that were taken in, and sources of audiences and
 * traits that sent a message for one of their ids. That is stored longer than the messages. `identities`: all ids of these
 * persons.
 */
export async function spokenBy(
  reader: Pick<ProfileReader, 'definitions' | 'lastTold' | 'sourcesOf'>,
  identities: readonly Identity[],
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const persons = [...new Set(identities.map(({ person }) => person))];
  const spoken = new Map(persons.map((person) => [person, new Set<string>()]));
  for (const [person, sources] of await reader.sourcesOf(persons))
    for (const id of sources) spoken.get(person)?.add(id);
  const sourceOf = new Map((await reader.definitions()).map(({ id, sourceId }) => [id, sourceId]));
  const told = await reader.lastTold(
    identities.map(({ id }) => id),
    'all',
  );
  for (const { id, person } of identities) {
    for (const definition of told.get(id)?.keys() ?? []) {
      const sourceId = sourceOf.get(definition);
      if (sourceId !== undefined) spoken.get(person)?.add(sourceId);
    }
  }
  return spoken;
}
