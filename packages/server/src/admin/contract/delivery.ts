import type { AttemptTiming, DeliveryState } from '../../core/delivery.ts';
import type { EventType } from '../../core/event.ts';
import type { Replay } from './replay.ts';

/** One request to one URL. */
export interface Attempt {
  url: string;
  at: string;
  ms: number;
  /** HTTP status; null when no response headers came. */
  status: number | null;
  /** Stable code where there is no status (`timeout`, `connection_refused`…). */
  error: string | null;
  detail: string | null;
  /** First 1 KiB of the answer. */
  answer: string | null;
  /** Where the time went; of an attempt that failed or opened its connection. */
  timing?: AttemptTiming;
  /** Some headers of the answer, of an attempt that failed. */
  responseHeaders?: Record<string, string>;
}

export interface Delivery {
  destinationId: string;
  sourceId: string;
  messageId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
  state: DeliveryState;
  /** Why it failed or was filtered. */
  reason: string | null;
  attempts: Attempt[];
  /** Rounds of attempts made in the current retry window. */
  rounds: number;
  nextAttemptAt: string | null;
  updatedAt: string;
}

/** The whole way of one message. */
export interface Trace {
  messageId: string;
  sourceId: string;
  type: EventType;
  event: string | null;
  userId: string | null;
  receivedAt: string;
  /** The call as it was received, put together again from what was kept: its batch's context and integrations merged in. */
  received: Record<string, unknown>;
  /** The body of every request, JSON text, byte for byte. */
  sent: string;
  /** What of an identify or group call the profiles don't keep, because it is too much: traits, and the group. It is delivered. */
  notKept: { traits: string[]; group: string | null };
  lanes: TracedLane[];
}

export interface TracedLane {
  destinationId: string;
  /** What a request for this message carries under the destination's settings of now; empty when it is deleted. */
  requests: TracedRequest[];
  /** Null when the destination is deleted. */
  destinationName: string | null;
  /** `waiting`: the lane has not come to it yet. */
  state: DeliveryState | 'waiting';
  reason: string | null;
  attempts: Attempt[];
  rounds: number;
  nextAttemptAt: string | null;
  updatedAt: string | null;
}

export interface TracedRequest {
  url: string;
  /** Signature and static headers included. */
  headers: Record<string, string>;
  /** The settings were changed after the last attempt: that may have carried other headers. */
  changedSince: boolean;
}

/** Sends a message again to one destination: a replay of one. */
export interface SendAgain {
  destinationId: string;
}

export interface SentAgain {
  /** Over already: the message is back to waiting. */
  replay: Replay;
}
