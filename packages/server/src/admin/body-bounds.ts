import { isDeeperThan, MAX_LEVELS } from '../core/json.ts';
import { refuse } from './input.ts';

/** Values (elements, and fields of objects) that a body may have: 5,000 users of a regulation, with room. */
const MAX_VALUES = 6_000;

/** Checks, answers and the audit log recurse into a body, and look at each of its values. @throws InvalidInput */
export function boundBody(body: unknown): void {
  if (isDeeperThan(MAX_LEVELS, body)) refuse('', `has more than ${MAX_LEVELS} levels of objects and arrays`);
  if (valuesIn(body, MAX_VALUES) > MAX_VALUES) refuse('', `has more than ${MAX_VALUES} values`);
}

/** How many there are; some number above `most` where there are more. */
function valuesIn(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  for (const key in value) {
    count += 1 + valuesIn(Reflect.get(value, key), most - count);
    if (count > most) break;
  }
  return count;
}
