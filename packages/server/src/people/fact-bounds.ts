import type { Facts, HeldKind, ProfileReader } from './contract.ts';

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

/** Persons or groups whose names of traits are in memory at a time: strangers can fill each up to the bound. */
const AT_ONCE = 256;

type Reader = Pick<ProfileReader, 'held' | 'groupTraits'>;

/**
 * What of the facts may be recorded: a trait or group that is new to a person who has as many as are kept is left out, a trait
 * that is new to such a group too, and so is a value that is too long. The calls are delivered as ever.
 */
export async function withinBounds(reader: Reader, facts: Facts): Promise<Facts> {
  const traits = facts.traits.filter(({ value }) => !isTooLong(value));
  const groupTraits = facts.groupTraits.filter(({ value }) => !isTooLong(value));
  const held = (kind: HeldKind) => (persons: readonly number[], least: number) => reader.held(kind, persons, least);
  const ofPerson = ({ person }: { readonly person: number }): number => person;
  const groupNames = (ids: readonly string[], least: number) => reader.groupTraits(ids, least);
  return {
    ...facts,
    traits: await withRoom(traits, ofPerson, ({ name }) => name, held('traits')),
    groups: await withRoom(facts.groups, ofPerson, ({ groupId }) => groupId, held('groups')),
    groupTraits: await withRoom(
      groupTraits,
      ({ groupId }) => groupId,
      ({ name }) => name,
      groupNames,
    ),
  };
}

/** `namesOf` answers the names that owners have, of those with `least` or more. */
async function withRoom<Owner, Fact>(
  facts: readonly Fact[],
  ownerOf: (fact: Fact) => Owner,
  nameOf: (fact: Fact) => string,
  namesOf: (owners: readonly Owner[], least: number) => Promise<ReadonlyMap<Owner, ReadonlySet<string>>>,
): Promise<readonly Fact[]> {
  const leftOut = new Set<Fact>();
  const all = [...Map.groupBy(facts, ownerOf)];
  for (let i = 0; i < all.length; i += AT_ONCE) {
    const some = all.slice(i, i + AT_ONCE);
    // An owner with fewer stays below the bound with all that is added here.
    const least = MOST_OF_A_PERSON + 1 - Math.max(...some.map(([, added]) => added.length));
    const owners = some.map(([owner]) => owner);
    const known = await namesOf(owners, Math.max(0, least));
    for (const [owner, added] of some) {
      const has = known.get(owner);
      if (has === undefined && added.length <= MOST_OF_A_PERSON) continue;
      const names = new Set(has);
      for (const fact of added) if (!takes(names, nameOf(fact))) leftOut.add(fact);
    }
  }
  return leftOut.size === 0 ? facts : facts.filter((fact) => !leftOut.has(fact));
}

function takes(kept: Set<string>, key: string): boolean {
  if (kept.has(key)) return true;
  if (kept.size >= MOST_OF_A_PERSON) return false;
  kept.add(key);
  return true;
}

/** Whether a value of a trait is longer than those that are kept. Most are short texts and numbers. */
export function isTooLong(value: unknown): boolean {
  if (typeof value === 'string' && value.length < LONGEST_TRAIT / 6) return false;
  return (typeof value === 'string' || typeof value === 'object') && JSON.stringify(value).length > LONGEST_TRAIT;
}
