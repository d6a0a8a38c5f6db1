import type { Call, Said } from './call.ts';
import type { GroupChange, Identity, ProfileWriter, Seen } from './contract.ts';
import { withinBounds } from './fact-bounds.ts';
import { factsOf } from './facts.ts';
import { canonicalUserId, idsOf, type Links, linkCalls, mayBeNew, mayJoin } from './identity.ts';
import type { IdentityRules } from './identity-rules.ts';
import type { Rule, Rules } from './rules.ts';

/** What calls changed. */
export interface Taken {
  readonly links: Links;
  /** Persons about whom everything must be decided: new and changed ones, and those whose oldest events were removed. */
  readonly renamed: ReadonlySet<number>;
  readonly changes: readonly GroupChange[];
}

/** Stores what calls say: who is who, which source named whom, what persons are and did. */
export async function takeIn(writer: ProfileWriter, calls: readonly Call[], identity: IdentityRules): Promise<Taken> {
  const stored = await writer.identities([...new Set(calls.flatMap(idsOf))]);
  const known = new Map(stored.map((identity) => [identity.id, identity]));
  const whole = await writer.identitiesOf(mayJoin(calls, known));
  const numbers = await writer.newPersons(mayBeNew(calls, known));
  const fresh = numbers.values();
  const newPerson = (): number => {
    const { value } = fresh.next();
    if (value === undefined) throw new Error('More persons are new than could be.');
    return value;
  };
  const links = linkCalls(calls, { known, whole }, newPerson, identity);
  const renamed = await link(writer, links, numbers[0] ?? Number.POSITIVE_INFINITY);
  await writer.putSeen(seenBy(calls, links));
  const facts = await withinBounds(writer, factsOf(calls, links));
  const { changes, trimmed } = await writer.record(facts);
  return { links, renamed: renamed.union(new Set(trimmed)), changes };
}

/** `firstNew`: persons from this number on are new. */
async function link(
  writer: ProfileWriter,
  { changed, unions, unjoined }: Links,
  firstNew: number,
): Promise<ReadonlySet<number>> {
  await writer.unite(unions);
  await writer.putIdentities(changed);
  await writer.putUnjoined(unjoined);
  const persons = new Set([...changed.map(({ person }) => person), ...unions.map(({ into }) => into)]);
  const isNew = (person: number): boolean => person >= firstNew;
  const made = changed.filter(({ person }) => isNew(person));
  const read = await writer.identitiesOf([...persons].filter((person) => !isNew(person)));
  await name(writer, persons, [...made, ...read]);
  return persons;
}

/** Stores the user id under which messages about each person are sent. */
export async function namePersons(writer: ProfileWriter, persons: readonly number[]): Promise<void> {
  await name(writer, persons, await writer.identitiesOf(persons));
}

async function name(writer: ProfileWriter, persons: Iterable<number>, by: readonly Identity[]): Promise<void> {
  const names = Map.groupBy(by, ({ person }) => person);
  const named = [...persons].map((person) => ({ person, userId: canonicalUserId(names.get(person) ?? []) }));
  await writer.putPersons(named);
}

/** The rules that must be decided again after these calls, by person. */
export function affectedBy(rules: Rules, calls: readonly Call[], { persons }: Links): Map<number, Set<Rule> | 'all'> {
  const affected = new Map<number, Set<Rule> | 'all'>();
  for (const [place, { said }] of calls.entries()) {
    const asking = rulesOn(rules, said);
    const person = persons[place] ?? null;
    if (person === null || asking.length === 0) continue;
    const chosen = affected.get(person) as Set<Rule> | undefined;
    if (chosen) for (const rule of asking) chosen.add(rule);
    else affected.set(person, new Set(asking));
  }
  return affected;
}

function rulesOn(rules: Rules, said: Said): readonly Rule[] {
  if (said.type === 'identify') return Object.keys(said.traits).flatMap((name) => rules.onTrait(name));
  if (said.type === 'group') return rules.onGroup();
  return said.type === 'alias' ? [] : rules.onEvent(said.type, said.name);
}

/** Which source named which person, each pair once. */
function seenBy(calls: readonly Call[], { persons }: Links): readonly Seen[] {
  const seen = new Map<string, Seen>();
  for (const [place, { sourceId }] of calls.entries()) {
    const person = persons[place] ?? null;
    if (person !== null) seen.set(`${person} ${sourceId}`, { person, sourceId });
  }
  return [...seen.values()];
}
