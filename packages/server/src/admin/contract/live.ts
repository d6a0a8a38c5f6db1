import type { EventType } from '../../core/event.ts';

/** An event as lists show it. */
export interface EventSummary {
  messageId: string;
  sourceId: string;
  type: EventType;
  /** Name of a track call's event. */
  event: string | null;
  userId: string | null;
  receivedAt: string;
}

/**
 * The live debugger's stream (`GET /api/events/live`, server-sent events): `event` messages carry a `LiveEvent`, `sampled`
 * messages (once a second) a `LiveRate`. What passes the filter goes out up to 50 a second, spread evenly; the rest is
 * counted only.
 */
export interface LiveEvent extends EventSummary {
  /** The delivered body, JSON text. */
  body: string;
}

export interface LiveRate {
  /** Events of the last second that passed the filter, and how many of them were sent. */
  matched: number;
  sent: number;
  /** All events accepted in that second. */
  accepted: number;
}
