import type { BreakerState } from '../../packages/server/src/deliver/breaker.ts';
import type { Receipt } from './endpoints.ts';
import type { Version } from './pauses.ts';

/** What is known of one destination. */
export interface Lanes {
  breaker: BreakerState;
  /** When it was last seen to leave the state closed; Infinity while it is closed. */
  openSince: number;
  /** The message that an open breaker let through. */
  probe: string | null;
  /** Since the last recovery, by sender: how many requests it may have under way at once. */
  readonly ramps: Map<number, { allowed: number; readonly before: Set<Receipt> }>;
  readonly senders: Set<number>;
  readonly inFlight: Set<Receipt>;
  /** Whether its retry queue ever held more than it looks through in an outage: then some ends come later, by a window at most. */
  crowded: boolean;
  /** When it, or a URL of it, was resumed last. */
  resumedAt: number;
  /** What it was set to from when on. */
  readonly versions: Version[];
  edited: boolean;
}

export function newLanes(): Lanes {
  return {
    breaker: 'closed',
    openSince: Infinity,
    probe: null,
    ramps: new Map(),
    senders: new Set(),
    inFlight: new Set(),
    crowded: false,
    resumedAt: Number.NEGATIVE_INFINITY,
    versions: [],
    edited: false,
  };
}
