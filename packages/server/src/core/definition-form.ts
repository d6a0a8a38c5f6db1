import { readInstant } from './instant.ts';
import { isObject, type JsonObject } from './json.ts';

/** How large a definition may grow. */
export const BOUNDS = {
  /** Conditions within conditions. */
  depth: 8,
  /** Conditions and tests in the whole definition. */
  nodes: 100,
  /** Parts of one `all`, `any`, `where` or `in`. */
  items: 100,
  /** Characters of a trait's, an event's or a property's name, of a path to it and of an id. */
  name: 200,
  /** Characters of a text that a value is compared with. */
  text: 1_000,
  days: 3_650,
} as const;

/** What is wrong in a definition, where, and how to put it right. */
export interface DefinitionError {
  /** Names and places joined by dots (`all.0.event.name`); empty for the definition itself. */
  readonly path: string;
  readonly message: string;
}

/** What one check of a definition has found so far. */
interface Report {
  readonly errors: DefinitionError[];
  /** Conditions and tests seen so far. */
  nodes: number;
  /** How many conditions the checked one lies in. */
  depth: number;
}

/** Reports what is wrong with `input`, which stands at `path`. `owner`: the object that has it as a field which may be absent. */
export type Check = (input: unknown, path: string, report: Report, owner?: JsonObject) => void;

/** What a part of a definition must be: the check of what a caller sends, and the JSON Schema that readers see, from one description. */
export interface Form {
  readonly check: Check;
  /** JSON Schema. A schema with an `$id` is referred to where it is used. */
  readonly schema: JsonObject;
  readonly isOptional?: true;
}

/** A form of objects. */
export interface ObjectForm extends Form {
  /** In a choice, the first key tells this form from the others. */
  readonly keys: readonly string[];
}

/** A description, or that and what else JSON Schema may say. */
type More = string | JsonObject;

/** The errors of a definition that is wrong everywhere are cut, so that hostile input makes no long answer. */
const MAX_ERRORS = 20;

const MAX_SHOWN = 60;

export function fail({ errors }: Report, path: string, message: string): void {
  if (errors.length < MAX_ERRORS) errors.push({ path, message });
}

/** The value is the input itself: the check fills nothing in, and lets nothing unknown pass. */
export type Checked<T> = { readonly value: T } | { readonly errors: readonly DefinitionError[] };

/** Checks JSON of any caller. */
export function checked<T>(input: unknown, { check }: Form): Checked<T> {
  const report: Report = { errors: [], nodes: 0, depth: 0 };
  check(input, '', report);
  return report.errors.length === 0 ? { value: input as T } : { errors: report.errors };
}

function within(path: string, key: string | number): string {
  const shown = String(key).slice(0, MAX_SHOWN);
  return path === '' ? shown : `${path}.${shown}`;
}

/** The form with a name in the OpenAPI document. */
export function named<F extends Form>(name: string, form: F, more: More = {}): F {
  return { ...form, schema: { $id: name, ...form.schema, ...options(more) } };
}

/** The form with one more check, which JSON Schema can't express. */
export function refined(form: Form, check: Check): Form {
  return {
    ...form,
    check(...of) {
      form.check(...of);
      check(...of);
    },
  };
}

/** A field that may be absent. */
export function optional(form: Form): Form {
  return {
    ...form,
    isOptional: true,
    check(...of) {
      if (of[0] !== undefined) form.check(...of);
    },
  };
}

/** Text of 1 to `most` characters that every store can keep unchanged. */
export function text(most: number, more: More = {}): Form {
  return {
    schema: { type: 'string', minLength: 1, maxLength: most, ...options(more) },
    check(input, path, report) {
      if (typeof input !== 'string' || input === '' || input.length > most) {
        fail(report, path, `must be text of 1 to ${most} characters`);
      } else if (!input.isWellFormed() || input.includes('\0')) {
        fail(report, path, 'must not contain NUL or half a character (a lone surrogate)');
      }
    },
  };
}

export function wholeNumber(least: number, most: number, unit: string, more: More = {}): Form {
  const schema = { type: 'integer', minimum: least, maximum: most, ...options(more) };
  const isOne = (input: unknown): boolean =>
    Number.isInteger(input) && (input as number) >= least && (input as number) <= most;
  return value(schema, isOne, `must be a whole number of ${unit} from ${least} to ${most}`);
}

export function instant(description: string): Form {
  return value(
    { type: 'string', description: `${description}; ISO 8601`, examples: ['2026-11-21T09:30:00Z'] },
    (input) => typeof input === 'string' && !Number.isNaN(readInstant(input)),
    'must be an ISO 8601 date or date-time, for example 2026-11-21T09:30:00Z',
  );
}

export function oneOf(values: readonly string[], more: More = {}): Form {
  const all: readonly unknown[] = values;
  const schema = { type: 'string', enum: values, ...options(more) };
  return value(schema, (input) => all.includes(input), `must be one of ${values.join(', ')}`);
}

/** A value that is right or wrong as a whole. `message` says what it must be. */
export function value(schema: JsonObject, isOne: (input: unknown) => boolean, message: string): Form {
  return {
    schema,
    check(input, path, report) {
      if (!isOne(input)) fail(report, path, message);
    },
  };
}

/** A list of 1 to `most` items. */
export function list(most: number, item: Form): Form {
  return {
    schema: { type: 'array', items: placed(item), minItems: 1, maxItems: most },
    check(input, path, report) {
      if (!Array.isArray(input) || input.length === 0 || input.length > most) {
        fail(report, path, `must be a list of 1 to ${most} items`);
        return;
      }
      for (const [i, each] of input.entries()) item.check(each, within(path, i), report);
    },
  };
}

/** An object with these fields and no others. The check goes in the order of `fields`; errors are in the order of `keys`. */
export function object(
  fields: Readonly<Record<string, Form>>,
  more: More = {},
  keys: readonly string[] = Object.keys(fields),
): ObjectForm {
  const required = keys.filter((key) => !fields[key]?.isOptional);
  const type = required.length > 0 ? 'conjunction' : 'disjunction';
  const having = new Intl.ListFormat('en-GB', { type }).format(required.length > 0 ? required : keys);
  return {
    keys,
    schema: {
      type: 'object',
      properties: Object.fromEntries(Object.entries(fields).map(([key, form]) => [key, placed(form)])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
      ...options(more),
    },
    check(input, path, report) {
      if (!isObject(input)) return fail(report, path, `must be an object with ${having}`);
      for (const key of Object.keys(input).filter((key) => !keys.includes(key))) {
        fail(report, within(path, key), `is not a known field; known here: ${keys.join(', ')}`);
      }
      for (const [key, { check }] of Object.entries(fields)) check(input[key], within(path, key), report, input);
    },
  };
}

/** An object of exactly one of these forms: that whose first key the object has. */
export function choice(what: string, forms: readonly ObjectForm[], more: More = {}): Form {
  const byKey = new Map(forms.map((form) => [form.keys[0] ?? '', form]));
  const keys = [...byKey.keys()];
  return {
    schema: { anyOf: forms.map(placed), ...options(more) },
    check(input, path, report) {
      const found = isObject(input) ? keys.filter((key) => Object.hasOwn(input, key)) : [];
      const form = byKey.get(found[0] ?? '');
      if (form && found.length === 1) return form.check(input, path, report);
      const having = found.length > 1 ? `: it has ${found.join(' and ')}` : '';
      fail(report, path, `must be ${what}, an object with exactly one of ${keys.join(', ')}${having}`);
    },
  };
}

/** Counts each use of the form as one of the `BOUNDS.nodes`. */
export function counted(form: Form): Form {
  return {
    ...form,
    check(...of) {
      if (isWithinBounds(of[1], of[2])) form.check(...of);
    },
  };
}

/** One of these conditions, or `all`, `any` and `not` of such, at most `BOUNDS.depth` levels deep. */
export function conditions(name: string, leaves: readonly ObjectForm[], more: More): Form {
  const itself: Form = {
    schema: { $id: name },
    check(input, path, report) {
      report.depth += 1;
      if (isWithinBounds(path, report)) one.check(input, path, report);
      report.depth -= 1;
    },
  };
  const parts = list(BOUNDS.items, itself);
  const one = choice('a condition', [
    object({ all: parts }, 'Every one holds'),
    object({ any: parts }, 'At least one holds'),
    object({ not: itself }, 'It does not hold'),
    ...leaves,
  ]);
  return named(name, { ...itself, schema: one.schema }, more);
}

/** False where the definition has too many nodes, or this one lies too deep. The error is reported once. */
function isWithinBounds(path: string, report: Report): boolean {
  report.nodes += 1;
  if (report.nodes === BOUNDS.nodes + 1) {
    fail(report, path, `is one too many: a definition has at most ${BOUNDS.nodes} conditions and tests`);
  }
  if (report.nodes > BOUNDS.nodes) return false;
  const isDeep = report.depth > BOUNDS.depth;
  if (isDeep) fail(report, path, `lies too deep: conditions may be nested ${BOUNDS.depth} levels`);
  return !isDeep;
}

function options(more: More): JsonObject {
  return typeof more === 'string' ? { description: more } : more;
}

function placed({ schema }: Form): JsonObject {
  return '$id' in schema ? { $ref: schema['$id'] } : schema;
}
