import { TIMELESS_TESTS, valueTest } from '../core/check-value-test.ts';
import {
  BOUNDS,
  type Checked,
  checked,
  counted,
  exactlyOne,
  fail,
  list,
  onlyKeys,
  type Report,
  text,
  within,
} from '../core/definition-report.ts';
import type { CallFilter, FieldCondition } from '../core/destination.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { propertyReader } from '../core/property-path.ts';
import { compilePasses, partsOf } from '../core/value-test.ts';

/** Words of a call that a filter may ask about; `source` is its id. */
export const CALL_WORDS = ['type', 'event', 'name', 'userId', 'anonymousId', 'groupId', 'source'] as const;

/** Objects of a call; a path goes on below them. */
export const CALL_OBJECTS = ['properties', 'traits', 'context'] as const;

/** Null where a call passes, else the clause that keeps it back, in words. */
export type KeptBackBy = (call: JsonObject, sourceId: string) => string | null;

/** Reads JSON that anybody may have written. */
export function checkCallFilter(input: unknown): Checked<CallFilter> {
  return checked(input, (value, path, report) => filter(value, path, report, 1));
}

const KINDS = { all: ['all'], any: ['any'], not: ['not'], field: ['field', 'is'] } as const;
const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

function filter(input: unknown, path: string, report: Report, depth: number): void {
  if (!counted(path, report, depth)) return;
  const found = exactlyOne(input, path, report, 'a condition', KIND_NAMES);
  if (!found) return;
  const { object, key } = found;
  const at = within(path, key);
  onlyKeys(object, path, report, KINDS[key]);
  const deeper = (part: unknown, place: string): void => filter(part, place, report, depth + 1);
  if (key === 'not') deeper(object[key], at);
  else if (key !== 'field') list(BOUNDS.items, deeper)(object[key], at, report);
  else {
    text(BOUNDS.name)(object[key], at, report);
    if (!isWord(object[key]) && !isBelow(object[key])) {
      fail(report, at, `must be one of ${CALL_WORDS.join(', ')}, or begin with ${BELOW.join(' or ')}`);
    }
    valueTest(object['is'], within(path, 'is'), report, TIMELESS_TESTS);
  }
}

const BELOW = CALL_OBJECTS.map((object) => `${object}.`);

function isWord(field: unknown): boolean {
  return CALL_WORDS.some((word) => word === field);
}

/** Whether it is a path below one of a call's objects. */
export function isBelow(field: unknown): field is string {
  return typeof field === 'string' && BELOW.some((start) => field.startsWith(start) && field.length > start.length);
}

/** Compiles a filter that was checked. */
export function compileCallFilter(filter: CallFilter, path = ''): KeptBackBy {
  const at = (part: string | number): string => (path === '' ? String(part) : `${path}.${part}`);
  const clause = path === '' ? inWords(filter) : `${path}: ${inWords(filter)}`;
  if ('all' in filter) {
    const parts = filter.all.map((part, place) => compileCallFilter(part, at(`all.${place}`)));
    return (call, sourceId) => {
      for (const keptBack of parts) {
        const by = keptBack(call, sourceId);
        if (by !== null) return by;
      }
      return null;
    };
  }
  if ('any' in filter) {
    const parts = filter.any.map((part) => compileCallFilter(part));
    return (call, sourceId) => (parts.some((keptBack) => keptBack(call, sourceId) === null) ? null : clause);
  }
  if ('not' in filter) {
    const keptBack = compileCallFilter(filter.not);
    return (call, sourceId) => (keptBack(call, sourceId) === null ? clause : null);
  }
  const read = fieldReader(filter);
  const passes = compilePasses(filter.is);
  return (call, sourceId) => (passes(read(call, sourceId)) ? null : clause);
}

function fieldReader({ field }: FieldCondition): (call: JsonObject, sourceId: string) => unknown {
  if (field === 'source') return (_, sourceId) => sourceId;
  // An alias has its new id under a name of its own (contract 1).
  if (field === 'userId') return (call) => call['userId'] ?? call['User ID'];
  if (isWord(field)) return (call) => call[field];
  const [object = '', ...rest] = field.split('.');
  const read = propertyReader(rest.join('.'));
  return (call) => {
    const fields = call[object];
    return isObject(fields) ? read(fields) : undefined;
  };
}

function inWords(filter: CallFilter): string {
  if ('all' in filter) return `all of ${filter.all.length}`;
  if ('any' in filter) return `any of ${filter.any.length}`;
  if ('not' in filter) return `not (${inWords(filter.not)})`;
  const [name, operand] = partsOf(filter.is);
  return `${filter.field} ${name} ${JSON.stringify(operand)}`;
}
