import type { EventType } from '../../core/event.ts';

export interface NewReplay {
  destinationId: string;
  /** `failed`: failed deliveries. `all`: every event of the destination's sources, whatever became of it. */
  state: 'failed' | 'all';
  /** Bounds on receivedAt: from ≤ receivedAt < to. */
  from?: string | null;
  to?: string | null;
  /** `error` narrows failed ones by how they failed: a status (`503`), a class of them (`5xx`), an error's code (`timeout`). */
  filter?: { event?: string | null; userId?: string | null; error?: string | null };
  /** Only these messages, in any state; at most 500, without `from`, `to` and `filter`. */
  messages?: ChosenMessage[];
  perSecond?: number;
  /** Only count, and show a few. */
  dryRun?: boolean;
}

export interface ChosenMessage {
  messageId: string;
  sourceId: string;
  /** Whose it is, where several users of a source send the same messageId. */
  userId?: string | null;
}

export interface ReplayPreview {
  count: number;
  /** How many failed how, most frequent first; of failed ones only. */
  errors: { error: string; title: string; count: number }[];
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
  filter: { event: string | null; userId: string | null; error: string | null };
  /** How many messages were chosen for it one by one; null for a replay by state, time and filter. */
  chosen: number | null;
  /** The one message that it sends again (`SendAgain`); null for a replay by state, time and filter. */
  messageId: string | null;
  from: string | null;
  to: string | null;
  perSecond: number;
  status: 'running' | 'stopped' | 'done';
  /** How many it set out to replay. */
  total: number;
  /** How many went back to waiting so far; those that were waiting anyway are not among them. `done` says that all have. */
  done: number;
  /** What became of those, exactly; null of a replay that an earlier version began. */
  result: ReplayResult | null;
  createdAt: string;
}

/** `delivered + failed + filtered + waiting` are the messages that went back to waiting. */
export interface ReplayResult {
  delivered: number;
  failed: number;
  filtered: number;
  waiting: number;
}
