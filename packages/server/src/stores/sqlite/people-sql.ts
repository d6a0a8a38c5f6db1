import type { DatabaseSync } from 'node:sqlite';
import type { Test } from '../../core/value-test.ts';
import type { PersonRange } from '../../people/contract.ts';
import type {
  Condition,
  EventCondition,
  EventSelection,
  GroupTraitCondition,
  TraitCondition,
} from '../../people/definition.ts';
import { compileWhere, readPeriod } from '../../people/selection.ts';
import { holds } from '../../people/span.ts';
import { compileTest, DAY_MS, deniedTest } from '../../people/value-span.ts';

/**
 * Conditions as queries over people-schema.ts, for a computation over all persons. A query says of each person what the
 * predicate says. SQL decides what it decides exactly as JavaScript does (equal texts of JSON, whole milliseconds, counts);
 * everything else goes through the predicate's own code, as functions that `registerPeopleFunctions` gives a connection.
 */
export interface Query {
  readonly sql: string;
  readonly params: readonly (string | number)[];
}

/** Ids of the persons for whom the condition holds at `now` (milliseconds since the epoch), in no order. */
export function membersQuery(condition: Condition, now: number, range: PersonRange = EVERYBODY): Query {
  return sql`SELECT id FROM person WHERE ${joined(' AND ', [holdsFor(condition, { now, range }), ...within('id', range)])}`;
}

/**
 * Gives a connection the functions that the queries call. Node keeps every value that a statement hands to a function until
 * the statement ends: over many persons, ask in ranges of them (50,000 with ten small events each take some 70 MB).
 */
export function registerPeopleFunctions(db: DatabaseSync): void {
  const tests = memo((text) => compileTest(JSON.parse(text)));
  const wheres = memo((text) => compileWhere(JSON.parse(text)));
  const define = (name: string, run: (json: string, test: string, now: number) => boolean): void => {
    const options = { deterministic: true, directOnly: true };
    db.function(name, options, (json, test, now) => Number(run(String(json), String(test), Number(now))));
  };
  define('passes', (json, test, now) => holds(tests(test)(JSON.parse(json)), now));
  define('matches', (json, where, now) => holds(wheres(where)(JSON.parse(json)), now));
}

/** One statement asks for a handful of texts, millions of times each. */
function memo<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      if (made.size === 100) made.clear();
      value = make(text);
      made.set(text, value);
    }
    return value;
  };
}

const EVERYBODY: PersonRange = { after: Number.NEGATIVE_INFINITY, upTo: Number.POSITIVE_INFINITY };

interface Scope {
  readonly now: number;
  readonly range: PersonRange;
}

/** An expression over a row of `person`. Each part is a set of ids that is made once, by the index that suits it. */
function holdsFor(condition: Condition, scope: Scope): Query {
  const partHolds = (part: Condition): Query => holdsFor(part, scope);
  if ('all' in condition) return joined(' AND ', condition.all.map(partHolds));
  if ('any' in condition) return joined(' OR ', condition.any.map(partHolds));
  if ('not' in condition) return negated(partHolds(condition.not));
  if ('trait' in condition) return traitHolds(condition, scope);
  if ('groupTrait' in condition) return groupTraitHolds(condition, scope);
  if ('event' in condition) return eventHolds(condition, scope);
  return personsOf('member', [sql`definition = ${word(condition.audience)}`], scope);
}

function traitHolds({ trait, is }: TraitCondition, scope: Scope): Query {
  const denied = deniedTest(is);
  return denied
    ? negated(traitHolds({ trait, is: denied }, scope))
    : personsOfTrait(trait, valuePasses(is, scope.now), scope);
}

function personsOfTrait(trait: string, passes: Query, scope: Scope): Query {
  return personsOf('trait', [sql`name = ${word(trait)}`, passes], scope);
}

function groupTraitHolds({ groupTrait, is }: GroupTraitCondition, scope: Scope): Query {
  const denied = deniedTest(is);
  if (denied) return negated(groupTraitHolds({ groupTrait, is: denied }, scope));
  return personsOfGroupTrait(groupTrait, valuePasses(is, scope.now), scope);
}

function personsOfGroupTrait(name: string, passes: Query, scope: Scope): Query {
  const groups = sql`SELECT grp FROM group_trait WHERE name = ${word(name)} AND ${passes}`;
  return personsOf('membership', [sql`grp IN (${groups})`], scope);
}

function personsOf(table: 'member' | 'trait' | 'membership', terms: readonly Query[], { range }: Scope): Query {
  const where = joined(' AND ', [...terms, ...within('person', range)]);
  return { sql: `id IN (SELECT person FROM ${table} WHERE ${where.sql})`, params: where.params };
}

/** Of a row's `value`, which is there: so never `not` and `exists: false`. */
function valuePasses(is: Test, now: number): Query {
  if ('equals' in is) return sql`value = ${JSON.stringify(is.equals)}`;
  if ('in' in is) {
    const equal = is.in.map((scalar) => valuePasses({ equals: scalar }, now));
    return joined(' OR ', equal);
  }
  if ('exists' in is) return sql`value <> 'null'`;
  return sql`passes(value, ${JSON.stringify(is)}, ${now})`;
}

function eventHolds(condition: EventCondition, scope: Scope): Query {
  const { count = { atLeast: 1 } } = condition;
  const doing = (having: Query): Query =>
    sql`id IN (${countedEvents(condition, scope)} GROUP BY person HAVING ${having})`;
  if ('atLeast' in count) return doing(sql`count(*) >= ${count.atLeast}`);
  if ('atMost' in count) return negated(doing(sql`count(*) > ${count.atMost}`));
  return count.exactly === 0 ? negated(doing(sql`count(*) > 0`)) : doing(sql`count(*) = ${count.exactly}`);
}

/** The persons of the events that count now, one row for each event. */
function countedEvents({ event, during }: EventCondition, scope: Scope): Query {
  const { now } = scope;
  const { from, to, length } = readPeriod(during);
  const times = [sql`at <= ${now}`, ...bound('at >', now - length), ...bound('at >=', from), ...bound('at <', to)];
  return personsOfEvents(event, times, length, scope);
}

/**
 * Of everybody, the events of a kind within a month are few enough to be looked up one by one, and without properties the
 * index has all there is to know; of a range of persons both must be so. Else reading the persons' events in their order
 * takes less time: the `+` keeps SQLite from the index.
 */
const LOOKED_UP = 31 * DAY_MS;

function personsOfEvents(
  { type = 'track', name, where = [] }: EventSelection,
  times: readonly Query[],
  length: number,
  { now, range }: Scope,
): Query {
  const named = name === undefined ? [] : [sql`name = ${name}`];
  const kinds = sql`SELECT id FROM kind WHERE ${joined(' AND ', [sql`type = ${type}`, ...named])}`;
  const [few, bare] = [length <= LOOKED_UP, where.length === 0];
  const indexed = range === EVERYBODY ? few || bare : few && bare;
  const ofKind = indexed ? sql`kind IN (${kinds})` : sql`+kind IN (${kinds})`;
  const fitting = bare ? [] : [{ sql: 'matches(properties, ?, ?)', params: [JSON.stringify(where), now] }];
  const terms = [ofKind, ...times, ...within('person', range), ...fitting];
  return sql`SELECT person FROM event WHERE ${joined(' AND ', terms)}`;
}

function within(column: 'id' | 'person', { after, upTo }: PersonRange): readonly Query[] {
  return [...bound(`${column} >`, after), ...bound(`${column} <=`, upTo)];
}

/** Nothing where the limit is infinite. */
function bound(comparison: string, limit: number): readonly Query[] {
  return Number.isFinite(limit) ? [{ sql: `${comparison} ?`, params: [limit] }] : [];
}

function word(text: string): Query {
  return sql`(SELECT id FROM word WHERE text = ${text})`;
}

function negated(part: Query): Query {
  return sql`NOT (${part})`;
}

/** Of at least one part: a definition that was checked has no empty list. */
function joined(by: string, parts: readonly Query[]): Query {
  return { sql: `(${parts.map((part) => part.sql).join(by)})`, params: parts.flatMap((part) => part.params) };
}

/** Values become parameters, queries their text with their parameters. */
function sql(texts: TemplateStringsArray, ...values: readonly (string | number | Query)[]): Query {
  const parts = values.map((value) => (typeof value === 'object' ? value : { sql: '?', params: [value] }));
  return {
    sql: texts.map((text, i) => text + (parts[i]?.sql ?? '')).join(''),
    params: parts.flatMap((part) => part.params),
  };
}
