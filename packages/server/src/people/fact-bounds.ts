import { type Facts, GROUP_IDS, type ProfileReader } from './contract.ts';

/** Most traits, and most groups, of one person, and most traits of a group: deciding and showing a person reads all of them. */
export const MOST_OF_A_PERSON = 1_000;
/**
 * The events that are kept of one person at least: the newest. `alike` are track calls of one name, all page calls, or all screen
 * calls; `characters` are JSON of all their properties. Deciding of a person may read all that are kept, and neither an id that a
 * whole shop shares nor one that a stranger fills with invented names or long calls must delay other calls.
 */
export const EVENTS_OF_A_PERSON = { alike: 10_000, events: 50_000, characters: 10_000_000 } as const;
/** Longest value of a trait, characters of its JSON. */
const LONGEST_TRAIT = 16_384;

type Reader = Pick<ProfileReader, 'held' | 'facts' | 'groupTraits'>;

/**
 * What of the facts may be recorded: a trait or group that is new to a person who has as many as are kept is left out, a trait
 * that is new to such a group too, and so is a value that is too long. The calls are delivered as ever.
 */
export async function withinBounds(reader: Reader, facts: Facts, now: number): Promise<Facts> {
  return ofPersons(reader, { ...facts, groupTraits: await ofGroups(reader, facts) }, now);
}

async function ofGroups(reader: Reader, facts: Facts): Promise<Facts['groupTraits']> {
  const traits = facts.groupTraits.filter(({ value }) => !isTooLong(value));
  if (traits.length === 0) return traits;
  const added = countBy(traits, ({ groupId }) => groupId);
  // A group with fewer stays below the bound with all that is added here.
  const least = Math.max(0, MOST_OF_A_PERSON + 1 - Math.max(...added.values()));
  const known = await reader.groupTraits([...added.keys()], least);
  const names = new Map<string, Set<string>>();
  for (const [groupId, count] of added) {
    const has = known.get(groupId);
    if (has !== undefined || count > MOST_OF_A_PERSON) names.set(groupId, new Set(has));
  }
  return traits.filter(({ groupId, name }) => takes(names.get(groupId), name));
}

async function ofPersons(reader: Reader, facts: Facts, now: number): Promise<Facts> {
  const traits = facts.traits.filter(({ value }) => !isTooLong(value));
  const persons = [...new Set([...traits, ...facts.groups].map(({ person }) => person))];
  if (persons.length === 0) return { ...facts, traits };
  const held = await reader.held(persons);
  const personOf = ({ person }: { readonly person: number }): number => person;
  const added = { traits: countBy(traits, personOf), groups: countBy(facts.groups, personOf) };
  const near = persons.filter((person) => {
    const has = held.get(person) ?? { traits: 0, groups: 0 };
    const all = [has.traits + (added.traits.get(person) ?? 0), has.groups + (added.groups.get(person) ?? 0)];
    return all.some((count) => count > MOST_OF_A_PERSON);
  });
  if (near.length === 0) return { ...facts, traits };
  const known = await reader.facts(near, { traits: 'all', groupTraits: GROUP_IDS, events: [] }, now);
  const room = (kind: 'traits' | 'groups'): Map<number, Set<string>> =>
    new Map(near.map((person) => [person, new Set(known.get(person)?.[kind].keys())]));
  const [names, groups] = [room('traits'), room('groups')];
  return {
    ...facts,
    traits: traits.filter(({ person, name }) => takes(names.get(person), name)),
    groups: facts.groups.filter(({ person, groupId }) => takes(groups.get(person), groupId)),
  };
}

/** What has no set is far from the bounds. */
function takes(kept: Set<string> | undefined, key: string): boolean {
  if (kept === undefined || kept.has(key)) return true;
  if (kept.size >= MOST_OF_A_PERSON) return false;
  kept.add(key);
  return true;
}

function countBy<T, K>(list: readonly T[], keyOf: (one: T) => K): ReadonlyMap<K, number> {
  const counts = new Map<K, number>();
  for (const one of list) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}

/** Most values are short texts and numbers. */
function isTooLong(value: unknown): boolean {
  if (typeof value === 'string' && value.length < LONGEST_TRAIT / 6) return false;
  return (typeof value === 'string' || typeof value === 'object') && JSON.stringify(value).length > LONGEST_TRAIT;
}
