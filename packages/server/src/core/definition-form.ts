import { readInstant } from './instant.ts';
import { isObject, type JsonObject } from './json.ts';

/** How large a definition may grow. */
export const BOUNDS = {
  /** Conditions within conditions. */
  depth: 8,
  /** Conditions and tests, all told. */
  nodes: 100,
  /** Parts of one `all`, `any`, `where` or `in`. */
  items: 100,
  /** Characters of a trait's, an event's or a property's name, of a path to it and of an id. */
  name: 200,
  /** Characters of a text that a value is compared with. */
  text: 1_000,
  days: 3_650,
} as const;

/** What is wrong in a definition: where, and how it would be right. */
export interface DefinitionError {
  /** Names and places joined by dots (`all.0.event.name`); empty for the definition itself. */
  readonly path: string;
  readonly message: string;
}

/** What one check of a definition has found so far. */
interface Report {
  readonly errors: DefinitionError[];
  /** Conditions and tests seen. */
  nodes: number;
  /** Conditions around what is checked. */
  depth: number;
}

/** Writes down what is wrong with `input`, which stands at `path`; as a field in `owner`, where it may be absent. */
export type Check = (input: unknown, path: string, report: Report, owner?: JsonObject) => void;

/** What a part of a definition must be, said once: for who sends one, and for who reads how. */
export interface Form {
  readonly check: Check;
  /** JSON Schema. One with an `$id` is referred to where it is used. */
  readonly schema: JsonObject;
  readonly isOptional?: true;
}

/** A form of objects. */
export interface ObjectForm extends Form {
  /** The first is the one that tells it from others in a choice. */
  readonly keys: readonly string[];
}

/** A description, or that and what else JSON Schema may say. */
type More = string | JsonObject;

/** A definition that is all wrong is told in parts, and hostile input makes no long answer. */
const MAX_ERRORS = 20;

const MAX_SHOWN = 60;

export function fail({ errors }: Report, path: string, message: string): void {
  if (errors.length < MAX_ERRORS) errors.push({ path, message });
}

/** What was read is the input itself: nothing is filled in, nothing unknown passes. */
export type Checked<T> = { readonly value: T } | { readonly errors: readonly DefinitionError[] };

/** Reads JSON that anybody may have written. */
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

/** The form, and what only a program can say of it. */
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

/** Text of 1 to `most` characters that a store can keep as it is. */
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

/** A value that can be told right or wrong in one. `message` says how it would be right. */
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

/** An object with these fields and no other. They are checked in their order, and told in that of `keys`. */
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

/** An object of exactly one of the forms: the one whose first field it has. */
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

/** Each use of the form is one of the `BOUNDS.nodes`. */
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

/** False once there are too many nodes, or where this one lies too deep, which is said once. */
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
