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
export interface Report {
  readonly errors: DefinitionError[];
  /** Conditions and tests seen. */
  nodes: number;
}

/** Writes down what is wrong with `input`, which stands at `path`. */
export type Check = (input: unknown, path: string, report: Report) => void;

/** A definition that is all wrong is told in parts, and hostile input makes no long answer. */
const MAX_ERRORS = 20;

const MAX_SHOWN = 60;

export function fail({ errors }: Report, path: string, message: string): void {
  if (errors.length < MAX_ERRORS) errors.push({ path, message });
}

/** What was read is the input itself: nothing is filled in, nothing unknown passes. */
export type Checked<T> = { readonly value: T } | { readonly errors: readonly DefinitionError[] };

/** Reads JSON that anybody may have written. */
export function checked<T>(input: unknown, check: Check): Checked<T> {
  const report: Report = { errors: [], nodes: 0 };
  check(input, '', report);
  return report.errors.length === 0 ? { value: input as T } : { errors: report.errors };
}

/** False once there are too many nodes, or where this one lies too deep, which is said once. */
export function counted(path: string, report: Report, depth = 1): boolean {
  report.nodes += 1;
  if (report.nodes === BOUNDS.nodes + 1) {
    fail(report, path, `is one too many: a definition has at most ${BOUNDS.nodes} conditions and tests`);
  }
  if (report.nodes > BOUNDS.nodes) return false;
  if (depth > BOUNDS.depth) fail(report, path, `lies too deep: conditions may be nested ${BOUNDS.depth} levels`);
  return depth <= BOUNDS.depth;
}

export function within(path: string, key: string | number): string {
  const shown = String(key).slice(0, MAX_SHOWN);
  return path === '' ? shown : `${path}.${shown}`;
}

/** False, and reported, where `input` is no object with exactly one of `keys`; else that one. */
export function exactlyOne<K extends string>(
  input: unknown,
  path: string,
  report: Report,
  what: string,
  keys: readonly K[],
): { readonly object: JsonObject; readonly key: K } | null {
  const found = isObject(input) ? keys.filter((key) => Object.hasOwn(input, key)) : [];
  const [key] = found;
  if (isObject(input) && key !== undefined && found.length === 1) return { object: input, key };
  const having = found.length > 1 ? `: it has ${found.join(' and ')}` : '';
  fail(report, path, `must be ${what}, an object with exactly one of ${keys.join(', ')}${having}`);
  return null;
}

export function onlyKeys(object: JsonObject, path: string, report: Report, keys: readonly string[]): void {
  for (const key of Object.keys(object)) {
    if (!keys.includes(key)) fail(report, within(path, key), `is not a known field; known here: ${keys.join(', ')}`);
  }
}

/** A list of 1 to `most` items, each checked. */
export function list(most: number, check: Check): Check {
  return (input, path, report) => {
    if (!Array.isArray(input) || input.length === 0 || input.length > most) {
      fail(report, path, `must be a list of 1 to ${most} items`);
      return;
    }
    for (const [i, item] of input.entries()) check(item, within(path, i), report);
  };
}

/** Text of 1 to `most` characters that a store can keep as it is. */
export function text(most: number): Check {
  return (input, path, report) => {
    if (typeof input !== 'string' || input === '' || input.length > most) {
      fail(report, path, `must be text of 1 to ${most} characters`);
    } else if (!input.isWellFormed() || input.includes('\0')) {
      fail(report, path, 'must not contain NUL or half a character (a lone surrogate)');
    }
  };
}

export function wholeNumber(least: number, most: number, unit: string): Check {
  return (input, path, report) => {
    if (Number.isInteger(input) && (input as number) >= least && (input as number) <= most) return;
    fail(report, path, `must be a whole number of ${unit} from ${least} to ${most}`);
  };
}
