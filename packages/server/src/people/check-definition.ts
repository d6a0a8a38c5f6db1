import { instant, valueTest } from '../core/check-value-test.ts';
import {
  BOUNDS,
  type Check,
  type Checked,
  checked,
  counted,
  exactlyOne,
  fail,
  list,
  onlyKeys,
  type Report,
  text,
  wholeNumber,
  within,
} from '../core/definition-report.ts';
import { nameFlaw } from '../core/event-name.ts';
import { readInstant } from '../core/instant.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Condition, TraitDefinition } from './definition.ts';

/** How large a definition of a person may grow. */
export const LIMITS: typeof BOUNDS & { readonly times: number } = {
  ...BOUNDS,
  /** As many events of a kind are kept of a person: a greater count would never be reached. */
  times: 10_000,
};

export function checkCondition(input: unknown): Checked<Condition> {
  return checked(input, (value, path, report) => condition(value, path, report, 1));
}

export function checkTrait(input: unknown): Checked<TraitDefinition> {
  return checked(input, traitDefinition);
}

const name = text(LIMITS.name);

/** By the field that makes a condition what it is: the fields it may have. */
const CONDITIONS = {
  all: ['all'],
  any: ['any'],
  not: ['not'],
  trait: ['trait', 'is'],
  groupTrait: ['groupTrait', 'is'],
  event: ['event', 'count', 'during'],
  audience: ['audience'],
} as const;

const CONDITION_NAMES = Object.keys(CONDITIONS) as (keyof typeof CONDITIONS)[];

function condition(input: unknown, path: string, report: Report, depth: number): void {
  if (!counted(path, report, depth)) return;
  const found = exactlyOne(input, path, report, 'a condition', CONDITION_NAMES);
  if (!found) return;
  const { object, key } = found;
  const deeper: Check = (part, at) => condition(part, at, report, depth + 1);
  const at = within(path, key);
  onlyKeys(object, path, report, CONDITIONS[key]);
  switch (key) {
    case 'all':
    case 'any':
      list(LIMITS.items, deeper)(object[key], at, report);
      break;
    case 'not':
      deeper(object[key], at, report);
      break;
    case 'trait':
    case 'groupTrait':
      name(object[key], at, report);
      valueTest(object['is'], within(path, 'is'), report);
      break;
    case 'event':
      selection(object[key], at, report);
      optional(object, 'count', count, path, report);
      optional(object, 'during', period, path, report);
      break;
    case 'audience':
      name(object[key], at, report);
      break;
    default:
      key satisfies never;
  }
}

const COMPUTATIONS = [
  'count',
  'sum',
  'average',
  'min',
  'max',
  'mostFrequent',
  'first',
  'last',
  'uniqueList',
  'uniqueCount',
] as const;

function traitDefinition(input: unknown, path: string, report: Report): void {
  if (!object(input, path, report, 'compute and event')) return;
  onlyKeys(input, path, report, ['compute', 'event', 'during']);
  const compute = within(path, 'compute');
  const found = exactlyOne(input['compute'], compute, report, 'a computation', COMPUTATIONS);
  if (found) {
    onlyKeys(found.object, compute, report, [found.key]);
    const at = within(compute, found.key);
    const value = found.object[found.key];
    if (found.key !== 'count') name(value, at, report);
    else if (value !== true) fail(report, at, 'must be true');
  }
  selection(input['event'], within(path, 'event'), report);
  optional(input, 'during', period, path, report);
}

const EVENT_TYPES: readonly unknown[] = ['track', 'page', 'screen'];

function selection(input: unknown, path: string, report: Report): void {
  if (!object(input, path, report, 'name, type or where')) return;
  onlyKeys(input, path, report, ['name', 'type', 'where']);
  const type = Object.hasOwn(input, 'type') ? input['type'] : 'track';
  if (!EVENT_TYPES.includes(type)) fail(report, within(path, 'type'), 'must be one of track, page, screen');
  optional(input, 'name', type === 'track' ? eventName : name, path, report);
  if (type === 'track' && !Object.hasOwn(input, 'name'))
    fail(report, within(path, 'name'), 'is required: the name of a track event');
  optional(input, 'where', list(LIMITS.items, propertyTest), path, report);
}

function eventName(input: unknown, path: string, report: Report): void {
  name(input, path, report);
  const flaw = typeof input === 'string' && input !== '' ? nameFlaw(input) : null;
  if (flaw !== null) fail(report, path, flaw);
}

function propertyTest(input: unknown, path: string, report: Report): void {
  if (!counted(path, report)) return;
  if (!object(input, path, report, 'property and is')) return;
  onlyKeys(input, path, report, ['property', 'is']);
  name(input['property'], within(path, 'property'), report);
  valueTest(input['is'], within(path, 'is'), report);
}

const COUNTS = ['atLeast', 'exactly', 'atMost'] as const;

function count(input: unknown, path: string, report: Report): void {
  const found = exactlyOne(input, path, report, 'a count', COUNTS);
  if (!found) return;
  onlyKeys(found.object, path, report, [found.key]);
  // At least 0 times says nothing about anybody.
  const least = found.key === 'atLeast' ? 1 : 0;
  wholeNumber(least, LIMITS.times, 'times')(found.object[found.key], within(path, found.key), report);
}

function period(input: unknown, path: string, report: Report): void {
  if (isObject(input) && ['from', 'to'].some((key) => Object.hasOwn(input, key))) {
    onlyKeys(input, path, report, ['from', 'to']);
    optional(input, 'from', instant, path, report);
    optional(input, 'to', instant, path, report);
    if (readInstant(input['from']) >= readInstant(input['to'])) fail(report, path, 'must begin before it ends');
    return;
  }
  const found = exactlyOne(input, path, report, 'a period (from and to, or a sliding one)', ['lastHours', 'lastDays']);
  if (!found) return;
  onlyKeys(found.object, path, report, [found.key]);
  const most = found.key === 'lastDays' ? LIMITS.days : LIMITS.days * 24;
  const unit = found.key === 'lastDays' ? 'days' : 'hours';
  wholeNumber(1, most, unit)(found.object[found.key], within(path, found.key), report);
}

function object(input: unknown, path: string, report: Report, fields: string): input is JsonObject {
  if (isObject(input)) return true;
  fail(report, path, `must be an object with ${fields}`);
  return false;
}

function optional(object: JsonObject, key: string, check: Check, path: string, report: Report): void {
  if (Object.hasOwn(object, key)) check(object[key], within(path, key), report);
}
