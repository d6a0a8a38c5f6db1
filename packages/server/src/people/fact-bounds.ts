import type { Facts, HeldKind, ProfileReader } from './contract.ts';

/** Most traits, and most groups, of a person, and most traits of a group: a decision, and a page about the person, reads all of them. */
export const MOST_OF_A_PERSON = 1_000;
/**
 * At least so many of a person's newest events are kept. `alike`: track calls of one name, all page calls, or all screen calls;
 * `characters`: JSON of all properties. A decision may read all of them. Neither an id that a whole shop shares, nor one that a
 * stranger fills with invented names or long calls, may delay other calls.
 */
export const EVENTS_OF_A_PERSON = { alike: 10_000, events: 50_000, characters: 10_000_000 } as const;
/** Longest value of a trait, characters of its JSON. */
const LONGEST_TRAIT = 16_384;

/** Persons or groups whose trait names are in memory at a time: strangers can fill each up to the bound. */
const AT_ONCE = 256;

type Reader = Pick<ProfileReader, 'held' | 'groupTraits'>;

/**
 * The facts that may be recorded. Left out are a trait or group that is new to a person who has the most already, a trait that is
 * new to such a group, and a value that is too long. The calls themselves are delivered.
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

/** `namesOf` answers the names of owners that have `least` or more. */
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
    // An owner with fewer names stays below the bound with all that is added here.
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

/** Whether a trait's value is longer than a stored one may be. Most values are short texts and numbers. */
export function isTooLong(value: unknown): boolean {
  if (typeof value === 'string' && value.length < LONGEST_TRAIT / 6) return false;
  return (typeof value === 'string' || typeof value === 'object') && JSON.stringify(value).length > LONGEST_TRAIT;
}
