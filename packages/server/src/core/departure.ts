import type { Policy } from './destination.ts';
import { parseDuration } from './duration.ts';

/** The longest times that the contract allows (contract 3 and 5). A policy may ask for more: that is a departure. */
export const IN_CONTRACT = { timeout: '5s', retryWindow: '4h' } as const;

export type Departure = keyof typeof IN_CONTRACT;

export const DEPARTURES = Object.keys(IN_CONTRACT) as readonly Departure[];

/** Names of the policy's fields that depart from the contract. */
export function departuresOf(policy: Pick<Policy, Departure>): Departure[] {
  const ms = (text: string | undefined): number => parseDuration(text ?? '') ?? 0;
  return DEPARTURES.filter((name) => ms(policy[name]) > ms(IN_CONTRACT[name]));
}
