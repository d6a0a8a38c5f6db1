import type { FaultCode } from '../core/fault.ts';
import { isObject } from '../core/json.ts';
import { nearestName } from '../core/near-name.ts';
import type { Refusal } from './refusal.ts';

/** Says of a refused call which of its fields is nearly one that it lacks. */
export type NameSlips = (refusal: Refusal, call: unknown) => Refusal;

/** Refusals for a field that is missing. */
const MISSING: ReadonlySet<FaultCode> = new Set([
  'no_user_or_anonymous_id',
  'user_id_required',
  'event_required',
  'group_id_required',
  'previous_id_required',
]);

/** Keys of a call that are looked at, and characters of one. */
const MOST_KEYS = 50;
const MOST_CHARACTERS = 40;
/** Different keys of a request that are compared with the fields; the calls of a batch have the same ones. */
const MOST_COMPARED = 200;
const MOST_NAMED = 3;

/** For the calls of one request. @param fields every field that a call can have. */
export function slipNamer(fields: readonly string[]): NameSlips {
  const byPlainName = new Map(fields.map((field) => [plain(field), field]));
  const plainNames = [...byPlainName.keys()];
  const compared = new Map<string, string | null>();

  const meant = (key: string): string | null => {
    const known = compared.get(key);
    if (known !== undefined) return known;
    if (key.length > MOST_CHARACTERS || compared.size >= MOST_COMPARED) return null;
    const name = plain(key);
    // Any other is more than a slip away; and a caller who means ill has much less compared.
    const alike = plainNames.filter(({ length }) => Math.abs(length - name.length) <= 2);
    const { nearest, isSlip } = nearestName(name, alike);
    const field = isSlip ? (byPlainName.get(nearest) ?? null) : null;
    compared.set(key, field);
    return field;
  };

  return (refusal, call) => {
    if (!MISSING.has(refusal.code) || !isObject(call)) return refusal;
    const slips = Object.keys(call)
      .slice(0, MOST_KEYS)
      .filter((key) => !fields.includes(key))
      .flatMap((key) => {
        const field = meant(key);
        return field === null || Object.hasOwn(call, field) ? [] : [{ key, field }];
      });
    const named = slips
      .slice(0, MOST_NAMED)
      .map(({ key, field }) => `"${key}" is no field of a call: did you mean "${field}"?`);
    return named.length === 0 ? refusal : { ...refusal, message: [refusal.message, ...named].join(' ') };
  };
}

/** As a caller may write it who is used to another way: `user_id` and `userID` are `userid`. */
function plain(name: string): string {
  return name.replaceAll(/[_\s-]/g, '').toLowerCase();
}
