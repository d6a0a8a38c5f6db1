import { SECRETS } from '../../core/destination.ts';
import type { FieldChange, FieldError } from '../contract.ts';

/** Stands for a value that came from a variable. */
export const MASK = '****';

/** Whether the value of a path in the file came from a variable. */
export type IsMasked = (path: string) => boolean;

export interface PlanOptions {
  /** Delete what the file doesn't have. */
  readonly prune: boolean;
  /** Set secrets where one is set already: what it is can't be known. */
  readonly setSecrets: boolean;
}

/** What a plan is made with, and what is found on the way. */
export interface Planning extends PlanOptions {
  readonly masked: IsMasked;
  readonly notes: string[];
  readonly errors: FieldError[];
}

/** Every leaf that is not the same, by its path below `path`. A field that is null counts as absent. */
export function difference(from: object, to: object, path = '', masked: IsMasked = () => false): FieldChange[] {
  const [before, after] = [leaves(from), leaves(to)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was = null, is = null] = [before.get(field), after.get(field)];
    if (was === is) return [];
    // What stood there before may be the same secret's older value. Of a shared secret nothing is shown anyway.
    if (SECRETS.some((secret) => secret === field) || !masked(`${path}.${field}`))
      return [{ field, from: was, to: is }];
    return [{ field, from: was === null ? null : MASK, to: MASK }];
  });
}

function leaves(value: unknown, path = '', into: Map<string, string> = new Map()): Map<string, string> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, each] of Object.entries(value)) leaves(each, path === '' ? name : `${path}.${name}`, into);
  } else if (value !== null && value !== undefined) {
    into.set(path, String(value));
  }
  return into;
}
