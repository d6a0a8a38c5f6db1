import type { Attempt } from '../../../server/src/admin/contract.ts';
import { NOT_SENT } from '../../../server/src/core/send-error.ts';

/** How many attempts of a message are no longer kept. */
export function leftOutOf(attempts: readonly Pick<Attempt, 'leftOut'>[]): number {
  return attempts.reduce((sum, { leftOut = 0 }) => sum + leftOut, 0);
}

/** How many attempts were made, those that are no longer kept included, without those that sent no request. */
export function madeOf(attempts: readonly Pick<Attempt, 'leftOut' | 'error'>[]): number {
  return attempts.filter(isSent).length + leftOutOf(attempts);
}

export function isSent({ error }: Pick<Attempt, 'error'>): boolean {
  return !NOT_SENT.has(error);
}
