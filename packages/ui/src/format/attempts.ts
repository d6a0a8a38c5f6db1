import type { Attempt } from '../../../server/src/admin/contract.ts';

/** How many attempts of a message are no longer kept. */
export function leftOutOf(attempts: readonly Pick<Attempt, 'leftOut'>[]): number {
  return attempts.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
}

/** How many attempts were made, those that are no longer kept included. */
export function madeOf(attempts: readonly Pick<Attempt, 'leftOut'>[]): number {
  return attempts.length + leftOutOf(attempts);
}
