import {
  BOUNDS,
  type Checked,
  checked,
  conditions,
  type Form,
  fail,
  object,
  refined,
  text,
} from '../core/definition-form.ts';
import type { CallFilter, FieldCondition } from '../core/destination.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { propertyReader } from '../core/property-path.ts';
import { compilePasses, partsOf } from '../core/value-test.ts';
import { timelessTest } from '../core/value-test-form.ts';

/** Fields of a call that a filter may ask about; `source` is the source's id. */
const CALL_WORDS = ['type', 'event', 'name', 'userId', 'anonymousId', 'groupId', 'source'] as const;

/** Objects of a call that a path may lead into. */
export const CALL_OBJECTS = ['properties', 'traits', 'context'] as const;

/** Null for a call that passes, else the clause that stops it, in words. */
export type KeptBackBy = (call: JsonObject, sourceId: string) => string | null;

/** Checks JSON of any caller. */
export function checkCallFilter(input: unknown): Checked<CallFilter> {
  return checked(input, callFilter);
}

const BELOW = CALL_OBJECTS.map((object) => `${object}.`);

function isWord(field: unknown): boolean {
  return CALL_WORDS.some((word) => word === field);
}

/** Whether this is a path into one of a call's objects. */
export function isBelow(field: unknown): field is string {
  return typeof field === 'string' && BELOW.some((start) => field.startsWith(start) && field.length > start.length);
}

/** What a filter must be: the check of what a caller sends, and the JSON Schema that readers see. */
export const callFilter: Form = conditions(
  'CallFilter',
  [
    object(
      {
        field: refined(
          text(
            BOUNDS.name,
            `${CALL_WORDS.join(', ')}; or a path below ${CALL_OBJECTS.join(', ')}, like \`properties.total\`. \`source\` is its id`,
          ),
          (input, path, report) => {
            if (isWord(input) || isBelow(input)) return;
            fail(report, path, `must be one of ${CALL_WORDS.join(', ')}, or begin with ${BELOW.join(' or ')}`);
          },
        ),
        is: timelessTest,
      },
      'A field of the call; `withinDays` can not be asked, because a call that is judged again is judged alike',
    ),
  ],
  {
    description: `True or false of one call: an object of exactly one of these forms, bounded as \`Condition\` is.`,
    examples: [
      {
        all: [
          { field: 'type', is: { equals: 'track' } },
          { field: 'properties.total', is: { atLeast: 100 } },
        ],
      },
    ],
  },
);

/** Compiles a checked filter. */
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
