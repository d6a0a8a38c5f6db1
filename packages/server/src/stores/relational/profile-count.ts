import type { PersonRange, ProfileReader } from '../../people/contract.ts';
import type { Condition } from '../../people/definition.ts';
import { compile } from '../../people/evaluate.ts';
import { mentions } from '../../people/mentions.ts';
import { kindKey } from '../../people/person.ts';
import { readPersons } from '../../people/records.ts';
import { type ConditionNumbers, conditionBounds, isExact } from './condition-sql.ts';
import type { DefinitionTable } from './profile-definitions.ts';
import { isOfKinds, type ProfileSql } from './profile-sql.ts';
import { type Statement, sql } from './sql.ts';

export interface CountSources {
  readonly profiles: ProfileSql;
  readonly reader: ProfileReader;
  readonly definitions: DefinitionTable;
}

/** True for no event. */
const NONE = sql`1 = 0`;

/** Persons per statement: few enough for the longest condition to end well within the deadline. */
const PERSONS = 5_000;

/** Persons and events per page, for persons about whom the predicate must decide. */
const READ_PERSONS = 1_000;
const READ_EVENTS = 20_000;

interface FoundPerson {
  readonly person: number;
  /** Whether SQL is sure that the condition holds; if not, the predicate must decide. */
  readonly sure: boolean | number;
  /** How many events of this person must be read. */
  readonly events: number;
}

/** Counts the persons of a range for whom a condition holds. `some` are the first of them by number, at most `sample`. */
export async function countPersons(
  { profiles, reader, definitions }: CountSources,
  condition: Condition,
  now: number,
  range: PersonRange,
  sample: number,
): Promise<{ readonly count: number; readonly some: readonly number[] }> {
  const { tables } = profiles;
  const needs = mentions(condition);
  const numbers = await numbersOf(condition, profiles, definitions);
  const bounds = conditionBounds(condition, { now, numbers, profiles });
  const holds = compile(condition);
  const mayRead = !isExact(bounds) && needs.events.length > 0;
  // Counts the events to read for each person, so that no page has too many.
  const events = mayRead
    ? sql`(SELECT count(*) FROM ${tables.events} AS e
        WHERE e.person = p.person AND ${(await isOfKinds(needs.events, profiles)) ?? NONE})`
    : sql`0`;
  const sure = isExact(bounds) ? sql`1` : bounds.must;
  let count = 0;
  const some: number[] = [];
  for (let after = range.after; after < range.upTo; after += PERSONS) {
    const upTo = Math.min(range.upTo, after + PERSONS);
    const found = await profiles.read<FoundPerson>(
      sql`SELECT p.person, ${sure} AS sure, ${events} AS events FROM ${tables.persons} AS p
        WHERE p.person > ${after} AND p.person <= ${upTo} AND ${bounds.may} ORDER BY p.person`,
    );
    for (const page of pagesOf(found)) {
      const unsure = page.flatMap(({ person, sure }) => (sure ? [] : [person]));
      const read = unsure.length === 0 ? [] : await readPersons(reader, unsure, needs, needs.audiences, now);
      const decided = new Set(read.flatMap(({ person, who }) => (holds(who, now).value ? [person] : [])));
      const held = page.filter(({ person, sure }) => sure || decided.has(person));
      count += held.length;
      some.push(...held.slice(0, sample - some.length).map(({ person }) => person));
    }
  }
  return { count, some };
}

/** Splits persons into pages of at most `READ_PERSONS` persons and `READ_EVENTS` events. One person can exceed the latter. */
function* pagesOf(persons: readonly FoundPerson[]): Iterable<FoundPerson[]> {
  let page: FoundPerson[] = [];
  let events = 0;
  for (const person of persons) {
    const more = person.sure ? 0 : person.events;
    if (page.length >= READ_PERSONS || (page.length > 0 && events + more > READ_EVENTS)) {
      yield page;
      page = [];
      events = 0;
    }
    page.push(person);
    events += more;
  }
  if (page.length > 0) yield page;
}

async function numbersOf(
  condition: Condition,
  profiles: ProfileSql,
  { byId }: DefinitionTable,
): Promise<ConditionNumbers> {
  const { traits, groupTraits, events } = mentions(condition);
  const kinds = new Map<string, Statement>();
  for (const kind of events) kinds.set(kindKey(kind), (await isOfKinds([kind], profiles)) ?? NONE);
  return {
    word: await profiles.words.known([...traits, ...groupTraits]),
    definition: (id) => byId.get(id)?.number,
    isOf: ({ type = 'track', name = null }) => kinds.get(kindKey({ type, name })) ?? sql`1 = 0`,
  };
}
