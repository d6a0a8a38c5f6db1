import { errorOf } from './error.ts';

/** What is wrong with a value, as text that follows the field's name; false or null if the value is valid. */
export type Check = (value: unknown) => string | false | null;

export type Checks = Readonly<Record<string, Check>>;

/**
 * Checks all fields of an object, and returns those that are neither undefined nor null.
 *
 * @throws MillraceError with `code`; its message names the field after `what`.
 */
export function checked(input: unknown, checks: Checks, code: string, what: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(Object(input))) {
    // Names that every object inherits (`constructor`, `__proto__`) are not checks.
    const check = !(name in {}) && checks[name];
    if (check && (value === undefined || value === null)) continue;
    const complaint = check ? check(value) : ' is unknown';
    if (complaint) throw errorOf(code, `${what} "${name}"${complaint}.`);
    fields[name] = value;
  }
  return fields;
}

export const isText: Check = (value) => (typeof value !== 'string' || value === '') && ' must be a non-empty text';

/** Deepest nesting of a field's objects and arrays. The service takes 128 levels, and the call itself is one. */
const DEEPEST = 127;

/**
 * Checks that a value is an object (not an array) that JSON can carry. The complaint begins with the path to the bad
 * value (`.items[2] is a BigInt`).
 *
 * Values that JSON changes are allowed: a Date becomes its ISO text, NaN and infinities become null; undefined, functions
 * and symbols are left out (in arrays: null); `toJSON` is used.
 *
 * @param parents the objects around the value, when it lies inside a field's object.
 */
export function isObject(given: unknown, parents: object[] = []): string | null {
  try {
    const value = ((given as Partial<Own>)?.toJSON?.call ? (given as Own).toJSON('') : given) as Own;
    if (!parents[0] && (typeof value !== 'object' || Array.isArray(value))) return ' must be an object';
    if (typeof value === 'bigint') return ' is a BigInt';
    if (Object(value) !== value) return value === null && given instanceof Date ? ' is an invalid Date' : null;
    // Objects that keep their content in internal slots (Map, Set, Promise…), errors and RegExps would become `{}`.
    const kind =
      value[Symbol.toStringTag] ?? ((value instanceof Error || value instanceof RegExp) && value.constructor.name);
    if (kind) return ` is no JSON but ${kind}`;
    if (parents.includes(value) || parents[DEEPEST - 1]) return ' is circular or too deep';
    parents.push(value);
    // Every call runs this loop. It is by far the fastest way through objects of many shapes.
    const members = Object.values(value);
    for (let i = 0; i < members.length; i += 1) {
      const member = members[i];
      const flaw = typeof member === 'object' || typeof member === 'bigint' ? isObject(member, parents) : null;
      if (flaw) return `.${Object.keys(value)[i]}${flaw}`;
    }
    parents.pop();
    return null;
  } catch (thrown) {
    return ` threw: ${thrown}`;
  }
}

/** Members that an object may have, which this check reads. */
interface Own {
  readonly [Symbol.toStringTag]?: string;
  toJSON(key: string): unknown;
}
