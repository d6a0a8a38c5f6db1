import { errorOf } from './error.ts';

/** What is wrong with a field's value, to follow its name; nothing when it will do. */
export type Check = (value: unknown) => string | false | null;

export type Checks = Readonly<Record<string, Check>>;

/**
 * The fields of an object that are neither undefined nor null, all of them checked.
 *
 * @throws MillraceError with the code, naming the field after `what`.
 */
export function checked(input: unknown, checks: Checks, code: string, what: string): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(Object(input))) {
    // What every object inherits (`constructor`, `__proto__`) is no check.
    const check = !(name in {}) && checks[name];
    if (check && (value === undefined || value === null)) continue;
    const complaint = check ? check(value) : ' is unknown';
    if (complaint) throw errorOf(code, `${what} "${name}"${complaint}.`);
    fields[name] = value;
  }
  return fields;
}

export const isText: Check = (value) => (typeof value !== 'string' || value === '') && ' must be a non-empty text';

/** Levels of objects and arrays of a field: the service takes 128, and the call is one. */
const DEEPEST = 127;

/**
 * An object, not an array, that JSON carries. What is wrong begins with the way to it (`.items[2] is a BigInt`).
 *
 * What JSON turns into something else is let through: a Date becomes its ISO text, NaN and infinities become null,
 * undefined, functions and symbols are left out (in arrays: null), `toJSON` is obeyed.
 *
 * @param parents the objects around a value, for what is inside the field's object.
 */
export function isObject(given: unknown, parents: object[] = []): string | null {
  try {
    const value = ((given as Partial<Own>)?.toJSON?.call ? (given as Own).toJSON('') : given) as Own;
    if (!parents[0] && (typeof value !== 'object' || Array.isArray(value))) return ' must be an object';
    if (typeof value === 'bigint') return ' is a BigInt';
    if (Object(value) !== value) return value === null && given instanceof Date ? ' is an invalid Date' : null;
    // What the language keeps in slots (Map, Set, Promise…) would arrive empty, and so would an error or a RegExp.
    const kind =
      value[Symbol.toStringTag] ?? ((value instanceof Error || value instanceof RegExp) && value.constructor.name);
    if (kind) return ` is no JSON but ${kind}`;
    if (parents.includes(value) || parents[DEEPEST - 1]) return ' is circular or too deep';
    parents.push(value);
    // By far the quickest way through objects of many shapes; every call comes through here.
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

/** What an object may say of itself. */
interface Own {
  readonly [Symbol.toStringTag]?: string;
  toJSON(key: string): unknown;
}
