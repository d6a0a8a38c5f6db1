import { durationWithin } from '../core/duration.ts';
import { readInstant } from '../core/instant.ts';
import { type FieldError, InvalidInput } from '../http/problem.ts';
import { PATTERN_WORDS } from './schemas/field.ts';

/** The most errors in one answer. */
const MAX_ERRORS = 100;
/** The most characters of an error's path: it may consist of keys of the input. */
const MAX_PATH = 300;

/** Refused input, with its wrong fields and a detail that names them. */
export function invalidInput(errors: readonly FieldError[], sentence: typeof sentenceOf = sentenceOf): InvalidInput {
  const named = errors.slice(0, MAX_ERRORS).map((error) => ({ ...error, path: shortened(error.path) }));
  const more = errors.length > MAX_ERRORS ? [`and ${errors.length - MAX_ERRORS} more`] : [];
  return new InvalidInput(named, [...named.map(sentence), ...more].join('; '));
}

function shortened(path: string): string {
  return path.length > MAX_PATH ? `${path.slice(0, MAX_PATH)}…` : path;
}

/** Input that is valid except for URLs that lead to addresses which requests may not go to (contract 6). */
export class ForbiddenAddress extends InvalidInput {
  override readonly code = 'address_not_allowed';

  constructor(errors: readonly FieldError[]) {
    super(errors, errors.map(sentenceOf).join('; '));
  }
}

function sentenceOf({ path, message }: FieldError): string {
  return path === '' ? message : `${path}: ${message}`;
}

export function refuse(path: string, message: string): never {
  throw invalidInput([{ path, message }]);
}

/** The errors of a duration, if one is given. `like` is a valid example. */
export function durationErrors(
  path: string,
  text: string | null | undefined,
  least: string,
  most: string,
  like: string = most,
): FieldError[] {
  const fits = text === undefined || text === null || durationWithin(text, least, most) !== undefined;
  return fits ? [] : [{ path, message: `must be a duration from ${least} to ${most}, like ${like}` }];
}

/** Milliseconds since the epoch of an ISO 8601 date or date-time; UTC if it has no offset. */
export function instant(text: string | null | undefined, path: string): number | null {
  if (text === undefined || text === null) return null;
  const [, day, time = 'T00:00', hours = '+00', minutes = '00'] = DATE_TIME.exec(text) ?? [];
  // Check the day first: `Date.parse` accepts 30 February as 2 March.
  const at = Number.isNaN(readInstant(day)) ? Number.NaN : Date.parse(`${day}${time}${hours}:${minutes}`);
  return Number.isNaN(at) ? refuse(path, 'must be an ISO 8601 date or date-time') : at;
}

const DATE_TIME = /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)(?:Z|([+-]\d\d):?(\d\d))?)?$/;

/** An error of a schema, in the validator's form. */
export interface SchemaError {
  readonly keyword: string;
  /** JSON Pointer. */
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** A schema's errors in words. Each wrong field appears once; unknown and missing fields have their own path. */
export function fieldErrors(errors: readonly SchemaError[]): FieldError[] {
  const byPath = new Map<string, string>();
  const mistyped = new Set<string>();
  for (const error of errors) {
    for (const { path, message } of explain(error)) {
      const isNew = !byPath.has(path);
      if (isNew && error.keyword === 'type') mistyped.add(path);
      // For a choice between a text and a list, one of the types is wrong: an error of length is the better one.
      if (isNew || (mistyped.has(path) && LENGTHS.has(error.keyword))) byPath.set(path, message);
    }
  }
  // A choice between a schema and null reports an error of its own: keep only the errors of the fields inside.
  const paths = [...byPath.keys()];
  for (const { keyword, instancePath } of errors) {
    const path = dotted(instancePath);
    if (
      keyword === 'anyOf' &&
      paths.some((other) => other.startsWith(path === '' ? '' : `${path}.`) && other !== path)
    ) {
      byPath.delete(path);
    }
  }
  return [...byPath].map(([path, message]) => ({ path, message }));
}

/** Keywords that are only checked if the value has the right type. */
const LENGTHS: ReadonlySet<string> = new Set(['minLength', 'maxLength', 'minItems', 'maxItems']);

function explain({ keyword, instancePath, params, message }: SchemaError): FieldError[] {
  const path = dotted(instancePath);
  switch (keyword) {
    case 'required':
      return list(params, 'requiredProperties').map((name) => ({ path: join(path, name), message: 'is required' }));
    case 'additionalProperties':
      return list(params, 'additionalProperties').map((name) => ({
        path: join(path, name),
        message: 'is not a known field',
      }));
    case 'boolean':
      // Reported together with additionalProperties, for the same field.
      return [];
    case 'enum':
      return [{ path, message: `must be one of ${list(params, 'allowedValues').join(', ')}` }];
    case 'const':
      return [{ path, message: `must be exactly ${JSON.stringify(Reflect.get(params, 'allowedValue'))}` }];
    case 'pattern': {
      const pattern = String(Reflect.get(params, 'pattern'));
      return [{ path, message: PATTERN_WORDS[pattern] ?? `must match ${pattern}` }];
    }
    default:
      return [{ path, message: SENTENCES[keyword]?.(params) ?? message }];
  }
}

/** The requirement of each schema keyword, as a sentence about the field. */
const SENTENCES: Readonly<Record<string, (params: object) => string>> = {
  type: (params) => `must be ${[Reflect.get(params, 'type')].flat().map(typeName).join(' or ')}`,
  minLength: (params) => (limit(params) === 1 ? 'must not be empty' : `must have at least ${limit(params)} characters`),
  maxLength: (params) => `must have at most ${limit(params)} characters`,
  minItems: (params) => (limit(params) === 1 ? 'must have an entry' : `must have at least ${limit(params)} entries`),
  maxItems: mostEntries,
  maxProperties: mostEntries,
  minimum: (params) => `must be at least ${limit(params)}`,
  maximum: (params) => `must be at most ${limit(params)}`,
};

function mostEntries(params: object): string {
  return `must have at most ${limit(params)} ${limit(params) === 1 ? 'entry' : 'entries'}`;
}

function limit(params: object): unknown {
  return Reflect.get(params, 'limit');
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
};

function typeName(type: unknown): string {
  return TYPE_NAMES[String(type)] ?? String(type);
}

function list(params: object, name: string): string[] {
  const value: unknown = Reflect.get(params, name);
  return Array.isArray(value) ? value.map(String) : [];
}

function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
    .join('.');
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
