import type { Needs, PersonFacts, Persons } from '../../people/contract.ts';
import { FactsDraft } from '../../people/person-draft.ts';
import { eachEvent, isOfKinds, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

/** Whether a row belongs to one of these persons. */
export function isOf(persons: Persons, { among }: Pick<ProfileSql, 'among'>): Statement {
  return 'after' in persons
    ? sql`person > ${persons.after} AND person <= ${persons.upTo}`
    : among(sql`person`, persons);
}

type DraftOf = (person: number) => FactsDraft;

/** See ProfileReader.facts. Runs one statement per table for any number of persons, and reads only the rows that are needed. */
export async function readFacts(
  profiles: ProfileSql,
  persons: Persons,
  needs: Needs,
  now: number,
): Promise<ReadonlyMap<number, PersonFacts>> {
  const drafts = new Map<number, FactsDraft>();
  if ('length' in persons && persons.length === 0) return drafts;
  const draftOf: DraftOf = (person) => {
    const draft = drafts.get(person) ?? new FactsDraft();
    drafts.set(person, draft);
    return draft;
  };
  const isTheirs = isOf(persons, profiles);
  if (needs.traits === 'all' || needs.traits.size > 0) await readTraits(profiles, draftOf, isTheirs, needs);
  if (needs.groupTraits.size > 0) await readGroups(profiles, draftOf, isTheirs, needs);
  if (needs.events.length > 0) await readEvents(profiles, draftOf, isTheirs, needs, now);
  return drafts;
}

async function readTraits(profiles: ProfileSql, draftOf: DraftOf, isTheirs: Statement, needs: Needs): Promise<void> {
  const isNeeded = await isNamed(profiles, needs.traits);
  if (isNeeded === null) return;
  const rows = await profiles.read<{ person: number; name: number; value: string; at: number }>(
    sql`SELECT person, name, value, at FROM ${profiles.tables.traits} AS t WHERE ${isTheirs} AND ${isNeeded}`,
  );
  const textOf = await profiles.words.of(rows.map(({ name }) => name));
  for (const { person, name, value, at } of rows) {
    draftOf(person).traits.set(textOf(name), { value: JSON.parse(value), at });
  }
}

/** Reads a group once, also when several of these persons belong to it. */
async function readGroups(profiles: ProfileSql, draftOf: DraftOf, isTheirs: Statement, needs: Needs): Promise<void> {
  const { among, read, tables, words } = profiles;
  const memberships = await read<{ person: number; grp: number }>(
    sql`SELECT person, grp FROM ${tables.memberships} AS m WHERE ${isTheirs}`,
  );
  if (memberships.length === 0) return;
  const groups = new Map(memberships.map(({ grp }) => [grp, new Map<string, unknown>()]));
  const isNeeded = await isNamed(profiles, needs.groupTraits);
  const isOfGroup = among(sql`grp`, [...groups.keys()]);
  const rows = isNeeded
    ? await read<{ grp: number; name: number; value: string }>(
        sql`SELECT grp, name, value FROM ${tables.groupTraits} AS t WHERE ${isOfGroup} AND ${isNeeded}`,
      )
    : [];
  const textOf = await words.of([...groups.keys(), ...rows.map(({ name }) => name)]);
  for (const { grp, name, value } of rows) groups.get(grp)?.set(textOf(name), JSON.parse(value));
  for (const { person, grp } of memberships) {
    draftOf(person).groups.set(textOf(grp), groups.get(grp) ?? new Map());
  }
}

async function readEvents(
  profiles: ProfileSql,
  draftOf: DraftOf,
  isTheirs: Statement,
  { events }: Needs,
  now: number,
): Promise<void> {
  const always = events.filter(({ lookBack }) => lookBack === Number.POSITIVE_INFINITY);
  const lately = events.filter(({ lookBack }) => lookBack !== Number.POSITIVE_INFINITY);
  const since = Math.floor(now - Math.max(0, ...lately.map(({ lookBack }) => lookBack)));
  const isOne = await isOfKinds(always, profiles);
  const isLatelyOne = await isOfKinds(lately, profiles);
  const isLate = isLatelyOne && sql`at >= ${since} AND ${isLatelyOne}`;
  const isWanted = isOne && isLate ? sql`(${isOne} OR (${isLate}))` : (isOne ?? isLate);
  if (isWanted === null) return;
  const wanted = sql`${isTheirs} AND ${isWanted} ORDER BY person, at, message_id`;
  await eachEvent(profiles, wanted, (event, person) => draftOf(person).events.push(event));
}

/** Whether a trait has one of these names; null if no row has any of them. */
async function isNamed(
  { among, beside, words }: ProfileSql,
  names: ReadonlySet<string> | 'all',
): Promise<Statement | null> {
  if (names === 'all') return sql`1 = 1`;
  const numberOf = await words.known(names);
  const numbers = [...names].map(numberOf).filter((number) => number !== undefined);
  return numbers.length === 0 ? null : among(beside(sql`name`), numbers);
}
