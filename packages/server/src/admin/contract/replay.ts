import type { EventType } from '../../core/event.ts';

export interface NewReplay {
  destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, whatever became of it. */
  state: 'failed' | 'all';
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  from?: string | null;
  to?: string | null;
  filter?: { event?: string | null; userId?: string | null };
  perSecond?: number;
  /** Only count, and show a few. */
  dryRun?: boolean;
}

export interface ReplayPreview {
  count: number;
  /** The first few, in the order they would go. */
  sample: ReplaySample[];
}

export interface ReplaySample {
  messageId: string;
  sourceId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
}

export interface Replay {
  id: string;
  destinationId: string;
  state: 'failed' | 'all';
  filter: { event: string | null; userId: string | null };
  /** The one message that it sends again (`SendAgain`); null for a replay by state, time and filter. */
  messageId: string | null;
  from: string | null;
  to: string | null;
  perSecond: number;
  status: 'running' | 'stopped' | 'done';
  /** How many it set out to replay. */
  total: number;
  /** How many went back to waiting so far; those that were waiting anyway are not among them. */
  done: number;
  createdAt: string;
}
