import { SECRETS } from '../../core/destination.ts';
import { withTexts } from '../../core/json.ts';
import type { FieldChange, FieldError } from '../contract.ts';

/** Stands for a value that came from a variable. */
const MASK = '****';

export interface PlanOptions {
  /** Delete what the file doesn't have. */
  readonly prune: boolean;
  /** Set secrets where one is set already: what it is can't be known. */
  readonly setSecrets: boolean;
}

/** What a plan is made with, and what is found on the way. */
export interface Planning extends PlanOptions {
  /** Paths whose values came from variables. */
  readonly masked: ReadonlySet<string>;
  readonly notes: string[];
  readonly errors: FieldError[];
}

/** Every leaf that is not the same, by its path below `path`. A field that is null counts as absent. */
export function difference(from: object, to: object, path: string, masked: ReadonlySet<string>): FieldChange[] {
  // A field that is shown as one text has what is below it.
  const isMasked = (at: string): boolean => masked.has(at) || [...masked].some((one) => one.startsWith(`${at}.`));
  const [before, after] = [leaves(from), leaves(to)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was = null, is = null] = [before.get(field), after.get(field)];
    if (was === is) return [];
    // What stood there before may be the same secret's older value. Of a shared secret nothing is shown anyway.
    if (SECRETS.some((secret) => secret === field) || !isMasked(`${path}.${field}`))
      return [{ field, from: was, to: is }];
    return [{ field, from: was === null ? null : MASK, to: MASK }];
  });
}

/** The same value with every text in it that came from a variable replaced. */
export function shown<T>(value: T, path: string, masked: ReadonlySet<string>): T {
  return withTexts(value, (text, at) => (masked.has(at) ? MASK : text), path);
}

function leaves(value: unknown, path = '', into: Map<string, string> = new Map()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) leaves(each, path === '' ? name : `${path}.${name}`, into);
  } else if (value !== null && value !== undefined) {
    into.set(path, String(value));
  }
  return into;
}
