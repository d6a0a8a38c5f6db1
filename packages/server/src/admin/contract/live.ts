import type { EventType } from '../../core/event.ts';

/** An event as lists show it. */
export interface EventSummary {
  messageId: string;
  sourceId: string;
  type: EventType;
  /** Name of a track call's event, or of a page or screen. */
  event: string | null;
  userId: string | null;
  receivedAt: string;
}

/**
 * What became of an event in all of its lanes together: `failed` at one or more and delivered nowhere, `partly` where it failed
 * at one and was delivered by another, `retrying` or `waiting` while a lane is not done, `none` where no lane has it.
 */
export type EventOutcome = 'delivered' | 'partly' | 'failed' | 'retrying' | 'waiting' | 'filtered' | 'none';

export interface FoundEvent extends EventSummary {
  outcome: EventOutcome;
}

/**
 * The live debugger's stream (`GET /api/events/live`, server-sent events): `event` messages carry a `LiveEvent`, `rejected`
 * ones a `LiveRejection`, `sampled` messages (once a second) a `LiveRate`. It begins with the last 100 events that pass the
 * filter, oldest first. What comes goes out up to 50 a second, spread evenly; the rest is counted only. The `id` of a message
 * tells it from all others, also after the stream was opened again.
 */
export interface LiveEvent extends EventSummary {
  /** The delivered body, JSON text. */
  body: string;
}

/** A call or a whole request that was refused. Where the filter names a type, an event or a user there are none. */
export interface LiveRejection {
  /** Null where the write key names no source. */
  sourceId: string | null;
  code: string;
  message: string;
  /** The beginning of what was refused, as text. */
  part: string;
  receivedAt: string;
}

export interface LiveRate {
  /** Events of the last second that passed the filter, and how many of them were sent. */
  matched: number;
  sent: number;
  /** All events accepted in that second. */
  accepted: number;
}
