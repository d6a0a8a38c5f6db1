import type { DatabaseSync } from 'node:sqlite';
import type { Condition, EventCondition, GroupTraitCondition, Test, TraitCondition } from '../../people/definition.ts';
import { compileWhere, readPeriod, type Where } from '../../people/selection.ts';
import { holds, type Span } from '../../people/span.ts';
import { compileTest, DAY_MS, deniedTest, isTimeless } from '../../people/value-span.ts';

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
export function membersQuery(condition: Condition, now: number): Query {
  return sql`SELECT id FROM person WHERE ${holdsFor(condition, now)}`;
}

/**
 * Ids of the persons for whom time alone may change the condition's value after `now`, and perhaps some more. Of
 * everybody else, whoever `membersQuery` names is a member until something new is learned of them. Null: of nobody.
 */
export function changingQuery(condition: Condition, now: number): Query | null {
  const changing = changesFor(condition, now);
  return changing && sql`SELECT id FROM person WHERE ${changing}`;
}

/** Gives a connection the functions that the queries call. */
export function registerPeopleFunctions(db: DatabaseSync): void {
  const tests = memo((text) => compileTest(JSON.parse(text)));
  const wheres = memo((text) => compileWhere(JSON.parse(text)));
  const define = (name: string, run: (json: string, test: string, now: number) => boolean): void => {
    const options = { deterministic: true, directOnly: true };
    db.function(name, options, (json, test, now) => Number(run(String(json), String(test), Number(now))));
  };
  define('passes', (json, test, now) => holds(tests(test)(JSON.parse(json)), now));
  define('may_pass', (json, test, now) => endsAfter(tests(test)(JSON.parse(json)), now));
  define('matches', (json, where, now) => holds(wheres(where)(JSON.parse(json)), now));
  define('may_match', (json, where, now) => endsAfter(wheres(where)(JSON.parse(json)), now));
}

function endsAfter(span: Span | null, now: number): boolean {
  return span !== null && span.until > now;
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

/** An expression over a row of `person`. Each part is a set of ids that is made once, by the index that suits it. */
function holdsFor(condition: Condition, now: number): Query {
  const partHolds = (part: Condition): Query => holdsFor(part, now);
  if ('all' in condition) return joined(' AND ', condition.all.map(partHolds));
  if ('any' in condition) return joined(' OR ', condition.any.map(partHolds));
  if ('not' in condition) return negated(partHolds(condition.not));
  if ('trait' in condition) return traitHolds(condition, now);
  if ('groupTrait' in condition) return groupTraitHolds(condition, now);
  if ('event' in condition) return eventHolds(condition, now);
  return sql`id IN (SELECT person FROM in_audience WHERE audience = ${word(condition.audience)})`;
}

/** Null where time alone changes nothing. */
function changesFor(condition: Condition, now: number): Query | null {
  if ('all' in condition) return oneOfManyChanges(condition.all, true, now);
  if ('any' in condition) return oneOfManyChanges(condition.any, false, now);
  if ('not' in condition) return changesFor(condition.not, now);
  if ('event' in condition) return sql`id IN (${changingEvents(condition, now)})`;
  if ('audience' in condition || isTimeless(condition.is)) return null;
  const mayPass = sql`may_pass(value, ${JSON.stringify(condition.is)}, ${now})`;
  return 'trait' in condition
    ? personsOfTrait(condition.trait, mayPass)
    : personsOfGroupTrait(condition.groupTrait, mayPass);
}

/** One of the parts changes while none that never changes decides otherwise: `neutral` is what decides nothing. */
function oneOfManyChanges(parts: readonly Condition[], neutral: boolean, now: number): Query | null {
  const changing: Query[] = [];
  const steady: Query[] = [];
  for (const part of parts) {
    const changes = changesFor(part, now);
    if (changes) changing.push(changes);
    else steady.push(neutral ? holdsFor(part, now) : negated(holdsFor(part, now)));
  }
  if (changing.length === 0) return null;
  return joined(' AND ', [joined(' OR ', changing), ...steady]);
}

function traitHolds({ trait, is }: TraitCondition, now: number): Query {
  const denied = deniedTest(is);
  return denied ? negated(traitHolds({ trait, is: denied }, now)) : personsOfTrait(trait, valuePasses(is, now));
}

function personsOfTrait(trait: string, passes: Query): Query {
  return sql`id IN (SELECT person FROM trait WHERE name = ${word(trait)} AND ${passes})`;
}

function groupTraitHolds({ groupTrait, is }: GroupTraitCondition, now: number): Query {
  const denied = deniedTest(is);
  if (denied) return negated(groupTraitHolds({ groupTrait, is: denied }, now));
  return personsOfGroupTrait(groupTrait, valuePasses(is, now));
}

function personsOfGroupTrait(name: string, passes: Query): Query {
  const groups = sql`SELECT grp FROM group_trait WHERE name = ${word(name)} AND ${passes}`;
  return sql`id IN (SELECT person FROM membership WHERE grp IN (${groups}))`;
}

/** Of a row's `value`, which is there: so never `not` and `exists: false`. */
function valuePasses(is: Test, now: number): Query {
  if ('equals' in is) return sql`value = ${JSON.stringify(is.equals)}`;
  if ('in' in is)
    return joined(
      ' OR ',
      is.in.map((scalar) => valuePasses({ equals: scalar }, now)),
    );
  if ('exists' in is) return sql`value <> 'null'`;
  return sql`passes(value, ${JSON.stringify(is)}, ${now})`;
}

function eventHolds(condition: EventCondition, now: number): Query {
  const { count = { atLeast: 1 } } = condition;
  const doing = (having: Query): Query =>
    sql`id IN (${countedEvents(condition, now)} GROUP BY person HAVING ${having})`;
  if ('atLeast' in count) return doing(sql`count(*) >= ${count.atLeast}`);
  if ('atMost' in count) return negated(doing(sql`count(*) > ${count.atMost}`));
  return count.exactly === 0 ? negated(doing(sql`count(*) > 0`)) : doing(sql`count(*) = ${count.exactly}`);
}

/** The persons of the events that count at `now`, one row for each event. */
function countedEvents({ event, during }: EventCondition, now: number): Query {
  const { from, to, length } = readPeriod(during);
  const { where = [] } = event;
  const times = [sql`at <= ${now}`, ...newerThan(now - length), ...inRange(from, to)];
  const fits = where.length === 0 ? [] : [sql`matches(properties, ${JSON.stringify(where)}, ${now})`];
  return personsOfEvents(event, [...times, ...fits], where, length);
}

/** The persons of the events that come to count after `now`, or cease to. */
function changingEvents({ event, during }: EventCondition, now: number): Query {
  const { from, to, length } = readPeriod(during);
  const { where = [] } = event;
  const ends = length !== Number.POSITIVE_INFINITY || where.some(({ is }) => !isTimeless(is));
  const times = [...newerThan(ends ? now - length : now), ...inRange(from, to)];
  const fits = where.length === 0 ? [] : [sql`may_match(properties, ${JSON.stringify(where)}, ${now})`];
  return personsOfEvents(event, [...times, ...fits], where, length);
}

/**
 * Within a month, events are few enough to be looked up one by one. Where the properties of more are asked for, reading all
 * events in their order takes less time: the `+` keeps SQLite from the index.
 */
const LOOKED_UP = 31 * DAY_MS;

function personsOfEvents(
  { type = 'track', name }: EventCondition['event'],
  terms: readonly Query[],
  where: Where,
  length: number,
): Query {
  const named = name === undefined ? [] : [sql`name = ${name}`];
  const kinds = sql`SELECT id FROM kind WHERE ${joined(' AND ', [sql`type = ${type}`, ...named])}`;
  const ofKind = where.length > 0 && length > LOOKED_UP ? sql`+kind IN (${kinds})` : sql`kind IN (${kinds})`;
  return sql`SELECT person FROM event WHERE ${joined(' AND ', [ofKind, ...terms])}`;
}

function newerThan(time: number): readonly Query[] {
  return time === Number.NEGATIVE_INFINITY ? [] : [sql`at > ${time}`];
}

function inRange(from: number, to: number): readonly Query[] {
  return [
    ...(from === Number.NEGATIVE_INFINITY ? [] : [sql`at >= ${from}`]),
    ...(to === Number.POSITIVE_INFINITY ? [] : [sql`at < ${to}`]),
  ];
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
