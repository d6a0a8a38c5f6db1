import type { Test } from '../../core/value-test.ts';
import type { Condition, EventCondition, GroupTraitCondition, TraitCondition } from '../../people/definition.ts';
import { readPeriod } from '../../people/selection.ts';
import { deniedTest } from '../../people/value-span.ts';
import type { ProfileSql } from './profile-sql.ts';
import { json, list, type Statement, sql } from './sql.ts';

/**
 * A condition in SQL: two expressions over a row `p` of the persons. If the condition holds, `may` is true. If `must` is true,
 * the condition holds. SQL decides only what it decides exactly as JavaScript does: equal texts of JSON, whole milliseconds,
 * counts. If SQL decides everything, the two are the same. Else the predicate of people/ decides the persons for whom only
 * `may` is true.
 */
export interface Bounds {
  readonly may: Statement;
  readonly must: Statement;
}

/** The numbers that stand for the names of a condition in rows; undefined for a name that no row has. */
export interface ConditionNumbers {
  word(text: string): number | undefined;
  definition(id: string): number | undefined;
  /** Whether a row `e` is an event of this kind. */
  isOf(event: EventCondition['event']): Statement;
}

export interface ConditionScope {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly numbers: ConditionNumbers;
  readonly profiles: Pick<ProfileSql, 'tables' | 'among' | 'passes' | 'fits'>;
}

export function conditionBounds(condition: Condition, scope: ConditionScope): Bounds {
  if ('all' in condition) return joined(' AND ', condition.all, scope);
  if ('any' in condition) return joined(' OR ', condition.any, scope);
  if ('not' in condition) return negated(conditionBounds(condition.not, scope));
  if ('trait' in condition || 'groupTrait' in condition) return traitBounds(condition, scope);
  if ('event' in condition) return eventBounds(condition, scope);
  const number = scope.numbers.definition(condition.audience);
  if (number === undefined) return NEVER;
  const { values } = scope.profiles.tables;
  return exactly(sql`EXISTS (SELECT 1 FROM ${values} AS v WHERE v.person = p.person AND v.definition = ${number})`);
}

const NEVER: Bounds = exactly(sql`1 = 0`);
const ALWAYS: Statement = sql`1 = 1`;

export function isExact({ may, must }: Bounds): boolean {
  return may === must;
}

function exactly(holds: Statement): Bounds {
  return { may: holds, must: holds };
}

function joined(by: string, parts: readonly Condition[], scope: ConditionScope): Bounds {
  const bounds = parts.map((part) => conditionBounds(part, scope));
  const all = (side: keyof Bounds): Statement => {
    const sides = bounds.map((part) => part[side]);
    return sql`(${list(sides, by)})`;
  };
  const may = all('may');
  return bounds.every(isExact) ? exactly(may) : { may, must: all('must') };
}

/** Swaps the bounds: a person for whom the inner condition surely holds surely does not match. */
function negated(bounds: Bounds): Bounds {
  const may = sql`NOT ${bounds.must}`;
  return isExact(bounds) ? exactly(may) : { may, must: sql`NOT ${bounds.may}` };
}

/** Holds if the person, or one of the person's groups, has a value of this name that passes. */
function traitBounds(condition: TraitCondition | GroupTraitCondition, scope: ConditionScope): Bounds {
  const { is } = condition;
  const denied = deniedTest(is);
  if (denied) return negated(traitBounds({ ...condition, is: denied }, scope));
  const name = scope.numbers.word('trait' in condition ? condition.trait : condition.groupTrait);
  if (name === undefined) return NEVER;
  const { traits, memberships, groupTraits } = scope.profiles.tables;
  const values =
    'trait' in condition
      ? sql`${traits} AS t WHERE t.person = p.person`
      : sql`${memberships} AS m JOIN ${groupTraits} AS t ON t.grp = m.grp WHERE m.person = p.person`;
  const rows = sql`SELECT 1 FROM ${values} AND t.name = ${name}`;
  const passing = passes(is, scope);
  return passing ? exactly(sql`EXISTS (${rows} AND ${passing})`) : { may: sql`EXISTS (${rows})`, must: NEVER.must };
}

/** Tests `t.value` of a row that exists, so `is` is never `not` or `exists: false`. Null if SQL can't decide the test. */
function passes(is: Test, { now, profiles }: ConditionScope): Statement | null {
  if ('equals' in is) return sql`t.value = ${json(is.equals)}`;
  if ('in' in is) return sql`t.value IN (${list(is.in.map(json))})`;
  return 'exists' in is ? sql`t.value <> 'null'` : profiles.passes(sql`t.value`, is, now);
}

function eventBounds({ event, count = { atLeast: 1 }, during }: EventCondition, scope: ConditionScope): Bounds {
  const { now, numbers, profiles } = scope;
  const { from, to, length } = readPeriod(during);
  const { where = [] } = event;
  const fitting = where.length === 0 ? null : profiles.fits(sql`e.properties`, where, now);
  const terms = [
    sql`e.person = p.person`,
    numbers.isOf(event),
    sql`e.at <= ${Math.floor(now)}`,
    ...(Number.isFinite(length) ? [sql`e.at > ${Math.floor(now - length)}`] : []),
    ...(Number.isFinite(from) ? [sql`e.at >= ${Math.ceil(from)}`] : []),
    ...(Number.isFinite(to) ? [sql`e.at < ${Math.ceil(to)}`] : []),
    ...(fitting ? [fitting] : []),
  ];
  const rows = sql`SELECT 1 FROM ${profiles.tables.events} AS e WHERE ${list(terms, ' AND ')}`;
  /** Stops counting once the comparison is decided. */
  const counted = (comparison: Statement, times: number, most: number): Statement =>
    sql`(SELECT count(*) FROM (${rows} LIMIT ${most}) AS counted) ${comparison} ${times}`;
  const atLeast = (times: number): Statement => counted(sql`>=`, times, times);
  const atMost = (times: number): Statement => counted(sql`<=`, times, times + 1);
  // If this is false, `rows` may contain events that do not pass. It never misses one that passes.
  const sure = where.length === 0 || fitting !== null;
  if ('atLeast' in count) {
    const may = atLeast(count.atLeast);
    return { may, must: sure || count.atLeast <= 0 ? may : NEVER.must };
  }
  if ('atMost' in count) {
    const must = atMost(count.atMost);
    return { may: sure ? must : ALWAYS, must };
  }
  if (sure) return exactly(counted(sql`=`, count.exactly, count.exactly + 1));
  return count.exactly === 0 ? { may: ALWAYS, must: atMost(0) } : { may: atLeast(count.exactly), must: NEVER.must };
}
