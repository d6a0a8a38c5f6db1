import type { PersonRange } from '../../people/contract.ts';
import type { Condition, EventSelection } from '../../people/definition.ts';
import { compile } from '../../people/evaluate.ts';
import { mentions } from '../../people/mentions.ts';
import type { Person } from '../../people/person.ts';
import { NO_FACTS, NOTHING_DECIDED } from '../../people/records.ts';
import type { DefinitionTable } from '../relational/profile-definitions.ts';
import { type ConditionNumbers, conditionBounds } from './condition-sql.ts';
import type { Queries } from './database.ts';
import type { ProfileRecords } from './profile-records.ts';
import { type ProfileWords, plain } from './profile-words.ts';

export interface CountQuestion {
  readonly condition: Condition;
  readonly now: number;
  readonly range: PersonRange;
  /** How many persons to name at most. */
  readonly sample: number;
}

export interface CountSources {
  readonly queries: Queries;
  readonly words: ProfileWords;
  readonly records: ProfileRecords;
  readonly definitions: DefinitionTable;
}

/** Persons of one statement: however long the condition is, it ends well within the deadline. */
const PERSONS = 5_000;

/** Persons and events that are read at a time where the predicate must decide. */
const READ_PERSONS = 1_000;
const READ_EVENTS = 20_000;

/** For how many persons of a range a condition holds, and the first of them by number. */
export async function countPersons(
  { condition, now, range, sample }: CountQuestion,
  { queries, words, records, definitions }: CountSources,
): Promise<{ readonly count: number; readonly some: readonly number[] }> {
  const needs = mentions(condition);
  const numbers = await numbersOf(condition, words, definitions);
  const params: unknown[] = [];
  const { may, must } = conditionBounds(condition, { now, numbers, params });
  const holds = compile(condition);
  const isExact = may === must;
  const counted = isExact || needs.events.length === 0 ? null : await words.kindNumbers(needs.events);
  let count = 0;
  const some: number[] = [];
  const add = (persons: readonly number[]): void => {
    count += persons.length;
    some.push(...persons.slice(0, sample - some.length));
  };
  const n = params.length;
  // How many of them must be read, so that no page has too many.
  const events = counted
    ? `(SELECT count(*) FROM profile_events e WHERE e.person = p.person AND e.kind + 0 = ANY($${n + 4}::int[]))`
    : '0';
  const sql = `SELECT p.person${isExact ? '' : `, ${must} AS sure, ${events} AS events`} FROM profile_persons p
    WHERE p.person > $${n + 1} AND p.person <= $${n + 2} AND ${may} ORDER BY p.person LIMIT $${n + 3}`;
  for (let after = range.after; after < range.upTo; after += PERSONS) {
    const upTo = Math.min(range.upTo, after + PERSONS);
    const found = await queries.query<{ person: number; sure?: boolean; events?: number }>(sql, [
      ...params,
      ...[after, upTo, PERSONS],
      ...(counted ? [counted] : []),
    ]);
    if (isExact) {
      add(found.map(({ person }) => person));
      continue;
    }
    for (const page of pagesOf(found)) {
      const unsure = page.flatMap(({ person, sure }) => (sure ? [] : [person]));
      const states = await records.states(unsure, needs.audiences, definitions);
      const facts = await records.facts(unsure, needs, now);
      const whoIs = (person: number): Person => {
        const { audiences } = states.get(person) ?? NOTHING_DECIDED;
        return { ...(facts.get(person) ?? NO_FACTS), audiences };
      };
      add(page.flatMap(({ person, sure }) => (sure || holds(whoIs(person), now).value ? [person] : [])));
    }
  }
  return { count, some };
}

/** In pages of not too many persons and events. */
function* pagesOf<P extends { readonly sure?: boolean; readonly events?: number }>(
  persons: readonly P[],
): Iterable<P[]> {
  let page: P[] = [];
  let events = 0;
  for (const person of persons) {
    const more = person.sure ? 0 : (person.events ?? 0);
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
  words: ProfileWords,
  { byId }: DefinitionTable,
): Promise<ConditionNumbers> {
  const { traits, groupTraits, events } = mentions(condition);
  const wordOf = await words.known([...traits, ...groupTraits].map(plain));
  const kinds = new Map<string, readonly number[]>();
  for (const kind of events) kinds.set(nameOf(kind), await words.kindNumbers([kind]));
  return {
    word: (text) => wordOf(plain(text)),
    definition: (id) => byId.get(id)?.number,
    kinds: (event) => kinds.get(nameOf(event)) ?? [],
  };
}

function nameOf({ type = 'track', name = null }: { type?: EventSelection['type']; name?: string | null }): string {
  return name === null ? type : `${type} ${name}`;
}
