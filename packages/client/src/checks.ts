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
    const check = checks[name];
    if (check && (value === undefined || value === null)) continue;
    const complaint = check ? check(value) : ' is unknown';
    if (complaint) throw errorOf(code, `${what} "${name}"${complaint}.`);
    fields[name] = value;
  }
  return fields;
}

export const isText: Check = (value) => (typeof value !== 'string' || value === '') && ' must be a non-empty text';

/** An object, not an array, that JSON carries. */
export const isObject: Check = (value) =>
  typeof value !== 'object' || value === null || Array.isArray(value) ? ' must be an object' : flawOf(value as never);

/** Levels of objects and arrays of a field: the service takes 128, and the call is one. */
const DEEPEST = 127;

/**
 * Why JSON would refuse a value or lose what it holds, beginning with the way to it (`.items[2] is a BigInt`); null when
 * it carries it.
 *
 * What JSON turns into something else is let through: a Date becomes its ISO text, NaN and infinities become null,
 * undefined, functions and symbols are left out (in arrays: null), `toJSON` is obeyed.
 */
function flawOf(value: Readonly<Record<string | symbol, unknown>>, parents: object[] = []): string | null {
  if (value['toJSON']) return value instanceof Date && Number.isNaN(value.getTime()) ? ' is an invalid Date' : null;
  // What the language keeps in slots (Map, Set, Promise…) would arrive empty, and so would an error.
  const kind = value[Symbol.toStringTag] ?? (value instanceof Error && 'Error');
  if (kind) return ` is no JSON but ${kind}`;
  if (parents.includes(value) || parents.length === DEEPEST) return ' is circular or too deep';
  parents.push(value);
  // By far the quickest way through objects of many shapes; every call comes through here.
  const members = Object.values(value);
  for (let i = 0; i < members.length; i += 1) {
    const member = members[i];
    const isBig = typeof member === 'bigint';
    const flaw = isBig
      ? ' is a BigInt'
      : typeof member === 'object' && member
        ? flawOf(member as never, parents)
        : null;
    if (flaw) return `.${Object.keys(value)[i]}${flaw}`;
  }
  parents.pop();
  return null;
}
