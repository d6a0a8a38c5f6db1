import type { Test } from '../../core/value-test.ts';
import type { Condition, EventCondition, GroupTraitCondition, TraitCondition } from '../../people/definition.ts';
import { readPeriod } from '../../people/selection.ts';
import { deniedTest } from '../../people/value-span.ts';

/**
 * What SQL knows of a condition, as two expressions over a row `p` of `profile_persons`. Where the condition holds,
 * `may` is true; where `must` is true, the condition holds. SQL decides what it decides exactly as JavaScript does: equal texts of JSON, whole
 * milliseconds, counts. Where that is everything the two are the same; between them the predicate of people/ decides.
 */
export interface Bounds {
  readonly may: string;
  readonly must: string;
}

/** Numbers of the words that a condition names; undefined and empty where no row has it. */
export interface ConditionNumbers {
  word(text: string): number | undefined;
  definition(id: string): number | undefined;
  kinds(event: EventCondition['event']): readonly number[];
}

export interface ConditionScope {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly numbers: ConditionNumbers;
  /** The statement's parameters, to which those of the condition are added. */
  readonly params: unknown[];
}

export function conditionBounds(condition: Condition, scope: ConditionScope): Bounds {
  if ('all' in condition) return joined(' AND ', condition.all, scope);
  if ('any' in condition) return joined(' OR ', condition.any, scope);
  if ('not' in condition) return negated(conditionBounds(condition.not, scope));
  if ('trait' in condition) return traitBounds(condition, scope);
  if ('groupTrait' in condition) return groupTraitBounds(condition, scope);
  if ('event' in condition) return eventBounds(condition, scope);
  const number = scope.numbers.definition(condition.audience);
  if (number === undefined) return NOBODY;
  return exactly(
    `EXISTS (SELECT FROM profile_values v WHERE v.person = p.person AND v.definition = ${param(scope, number, 'int')})`,
  );
}

const NOBODY: Bounds = exactly('false');

function exactly(sql: string): Bounds {
  return { may: sql, must: sql };
}

function joined(by: string, parts: readonly Condition[], scope: ConditionScope): Bounds {
  const bounds = parts.map((part) => conditionBounds(part, scope));
  return {
    may: `(${bounds.map(({ may }) => may).join(by)})`,
    must: `(${bounds.map(({ must }) => must).join(by)})`,
  };
}

/** Persons who are sure to have it are sure not to be meant. */
function negated({ may, must }: Bounds): Bounds {
  return { may: `NOT ${must}`, must: `NOT ${may}` };
}

function traitBounds({ trait, is }: TraitCondition, scope: ConditionScope): Bounds {
  const denied = deniedTest(is);
  if (denied) return negated(traitBounds({ trait, is: denied }, scope));
  const name = scope.numbers.word(trait);
  if (name === undefined) return NOBODY;
  const rows = `SELECT FROM profile_traits t WHERE t.person = p.person AND t.name = ${param(scope, name, 'int')}`;
  return existing(rows, passes('t.value', is, scope));
}

function groupTraitBounds({ groupTrait, is }: GroupTraitCondition, scope: ConditionScope): Bounds {
  const denied = deniedTest(is);
  if (denied) return negated(groupTraitBounds({ groupTrait, is: denied }, scope));
  const name = scope.numbers.word(groupTrait);
  if (name === undefined) return NOBODY;
  const rows = `SELECT FROM profile_memberships m JOIN profile_group_traits t ON t.grp = m.grp
    WHERE m.person = p.person AND t.name = ${param(scope, name, 'int')}`;
  return existing(rows, passes('t.value', is, scope));
}

/** Some of these rows pass; null where SQL can't tell which do. */
function existing(rows: string, passing: string | null): Bounds {
  return passing === null ? { may: `EXISTS (${rows})`, must: 'false' } : exactly(`EXISTS (${rows} AND ${passing})`);
}

/** Of a value that is there: so never `not` and `exists: false`. */
function passes(value: string, is: Test, scope: ConditionScope): string | null {
  if ('equals' in is) return `${value} = ${param(scope, JSON.stringify(is.equals), 'text')}`;
  if ('in' in is)
    return `${value} = ANY(${param(
      scope,
      is.in.map((scalar) => JSON.stringify(scalar)),
      'text[]',
    )})`;
  return 'exists' in is ? `${value} <> 'null'` : null;
}

function eventBounds({ event, count = { atLeast: 1 }, during }: EventCondition, scope: ConditionScope): Bounds {
  const kinds = scope.numbers.kinds(event);
  const { from, to, length } = readPeriod(during);
  const times = [
    `e.at <= ${time(scope, Math.floor(scope.now))}`,
    ...(Number.isFinite(length) ? [`e.at > ${time(scope, Math.floor(scope.now - length))}`] : []),
    ...(Number.isFinite(from) ? [`e.at >= ${time(scope, Math.ceil(from))}`] : []),
    ...(Number.isFinite(to) ? [`e.at < ${time(scope, Math.ceil(to))}`] : []),
  ];
  // The sum keeps the server from the index of kinds: what one person did lies together in the other one.
  const rows = `SELECT FROM profile_events e WHERE e.person = p.person AND ${times.join(' AND ')}
    AND e.kind + 0 = ANY(${param(scope, kinds, 'int[]')})`;
  /** Counts no further than it must. */
  const counted = (comparison: '>=' | '<=' | '=', times: number): string =>
    `(SELECT count(*) FROM (${rows} LIMIT ${comparison === '>=' ? times : times + 1}) counted) ${comparison} ${times}`;
  // Of the events that are counted here some may not pass; none is missing.
  const sure = event.where === undefined || event.where.length === 0;
  if ('atLeast' in count) {
    const may = counted('>=', count.atLeast);
    return { may, must: sure || count.atLeast <= 0 ? may : 'false' };
  }
  if ('atMost' in count) {
    const must = counted('<=', count.atMost);
    return { may: sure ? must : 'true', must };
  }
  if (sure) return exactly(counted('=', count.exactly));
  if (count.exactly === 0) return { may: 'true', must: counted('=', 0) };
  return { may: counted('>=', count.exactly), must: 'false' };
}

function time(scope: ConditionScope, at: number): string {
  return param(scope, at, 'bigint');
}

function param({ params }: ConditionScope, value: unknown, type: string): string {
  params.push(value);
  return `$${params.length}::${type}`;
}
