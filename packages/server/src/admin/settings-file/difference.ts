import { SECRETS } from '../../core/destination.ts';
import { withTexts } from '../../core/json.ts';
import type { FieldChange, FieldError, Role } from '../contract.ts';

/** Shown in place of a value that came from a variable. */
const MASK = '****';

export interface PlanOptions {
  /** Delete things that the file does not have. */
  readonly prune: boolean;
  /** Replace secrets that are already set: their values can't be compared. */
  readonly setSecrets: boolean;
}

/** The options of a plan, and what is noted while it is made. */
export interface Planning extends PlanOptions {
  /** The caller's role. The current values that it does not see are masked. */
  readonly role: Role;
  /** Paths whose values came from variables. */
  readonly masked: ReadonlySet<string>;
  readonly notes: string[];
  readonly errors: FieldError[];
  /** Paths of values in the file whose current values the caller does not see. */
  readonly uncompared: string[];
}

/**
 * All changed leaves, by their path below `path`. A null field counts as absent.
 *
 * @param isHidden whether the caller does not see the current value of this leaf. It is then noted, and compared by presence only.
 */
export function difference(
  from: object,
  to: object,
  path: string,
  { masked, uncompared }: Pick<Planning, 'masked' | 'uncompared'>,
  isHidden: (field: string) => boolean = () => false,
): FieldChange[] {
  // A field that is shown as one text is masked if any part of it is.
  const isMasked = (at: string): boolean => masked.has(at) || [...masked].some((one) => one.startsWith(`${at}.`));
  const [before, after] = [leaves(from), leaves(to)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((field) => {
    const [was = null, is = null] = [before.get(field), after.get(field)];
    if (was !== null && is !== null && isHidden(field)) {
      uncompared.push(`${path}.${field}`);
      return [];
    }
    if (was === is) return [];
    // The old value is masked too: it may be an older value of the same secret. Shared secrets are never shown anyway.
    if (SECRETS.some((secret) => secret === field) || !isMasked(`${path}.${field}`))
      return [{ field, from: was, to: is }];
    return [{ field, from: was === null ? null : MASK, to: MASK }];
  });
}

/** The value, with each text that came from a variable masked. */
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
