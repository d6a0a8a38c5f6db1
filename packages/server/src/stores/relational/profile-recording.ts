import type { Facts, GroupChange, GroupTraitFact } from '../../people/contract.ts';
import type { EventTally } from '../../people/event-tally.ts';
import type { ProfileSql } from './profile-sql.ts';
import { json, sql } from './sql.ts';

/** Stores the facts of calls, and counts their events in the tally; see ProfileWriter.record. Answers which traits of groups changed. */
export async function recordFacts(
  profiles: ProfileSql,
  { traits, groups, groupTraits, events }: Facts,
  tally: EventTally,
): Promise<readonly GroupChange[]> {
  const { kinds, put, words } = profiles;
  const numberOf = await words.made([
    ...[...traits, ...groupTraits].map(({ name }) => name),
    ...[...groups, ...groupTraits].map(({ groupId }) => groupId),
  ]);
  const kindOf = await kinds.made(events);
  const latest = latestOf(traits, ({ person, name }) => `${person} ${numberOf(name)}`);
  await put(
    'traits',
    Array.from(latest.values(), (fact) => [fact.person, numberOf(fact.name), json(fact.value), fact.at, fact.position]),
  );
  await put(
    'memberships',
    groups.map(({ person, groupId }) => [person, numberOf(groupId)]),
  );
  // Sorted by person, so that a page which several events change is written once.
  const byPerson = events.toSorted((a, b) => a.person - b.person);
  await put(
    'events',
    byPerson.map((event) => {
      const properties = json(event.properties);
      tally.add(event.person, 1, properties.json.length);
      return [event.person, event.at, event.messageId, kindOf(event), properties];
    }),
  );
  return recordGroupTraits(profiles, groupTraits, numberOf);
}

async function recordGroupTraits(
  { pairs, put, read, tables }: ProfileSql,
  facts: readonly GroupTraitFact[],
  numberOf: (text: string) => number,
): Promise<readonly GroupChange[]> {
  if (facts.length === 0) return [];
  const latest = latestOf(facts, ({ groupId, name }) => `${numberOf(groupId)} ${numberOf(name)}`);
  const keys = Array.from(latest.values(), ({ groupId, name }) => [numberOf(groupId), numberOf(name)] as const);
  // The join starts from the asked pairs: a group may have a thousand traits, of which one is asked for.
  const rows = await read<Dated & { grp: number; name: number; value: string }>(
    sql`SELECT t.grp, t.name, t.value, t.at, t.position FROM ${pairs(keys)} AS u
      CROSS JOIN ${tables.groupTraits} AS t WHERE t.grp = u.ending AND t.name = u.staying`,
  );
  const before = new Map(rows.map((row) => [`${row.grp} ${row.name}`, row]));
  await put(
    'groupTraits',
    Array.from(latest.values(), ({ groupId, name, ...said }) => [
      numberOf(groupId),
      numberOf(name),
      json(said.value),
      said.at,
      said.position,
    ]),
  );
  return [...latest].flatMap(([key, fact]) => {
    const known = before.get(key);
    return known && (known.value === json(fact.value).json || !isLater(fact, known)) ? [] : [fact];
  });
}

interface Dated {
  readonly at: number;
  readonly position: number;
}

/** The latest fact of each key, so that one call never writes a row twice. */
function latestOf<T extends Dated>(facts: readonly T[], keyOf: (fact: T) => string): ReadonlyMap<string, T> {
  const latest = new Map<string, T>();
  for (const fact of facts) {
    const key = keyOf(fact);
    const other = latest.get(key);
    if (!other || isLater(fact, other)) latest.set(key, fact);
  }
  return latest;
}

/** The same order as in `LATER_COUNTS`. */
function isLater(a: Dated, b: Dated): boolean {
  return a.at > b.at || (a.at === b.at && a.position > b.position);
}
