/** The call types the collection API takes (contract 8.1). */
export const CALL_TYPES = ['identify', 'track', 'page', 'screen', 'group', 'alias'] as const;

export type CallType = (typeof CALL_TYPES)[number];

/** What a delivered message can be: a call, or the notice of a deletion request. */
export const EVENT_TYPES = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'delete'] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/**
 * One accepted event: the bytes every attempt to every URL will carry, and beside them the few words that routing and
 * searching need, so that nothing downstream parses the body again.
 */
export interface Event {
  readonly sourceId: string;
  /** Unique per source and owner for 24 hours; at most 100 characters. */
  readonly messageId: string;
  readonly type: EventType;
  /** Name of a track call's event, or of a page or screen; null where there is none. */
  readonly name: string | null;
  readonly userId: string | null;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  /**
   * When it happened, milliseconds since the epoch: the delivered `timestamp`. `receivedAt` where the call gave none, and
   * for what the service itself says (delete messages, calls of audiences and computed traits), which is new whenever it
   * is said.
   */
  readonly timestamp: number;
  /** The merged integrations object as JSON (`{"All":false,"Webhooks":true}`); null when the call carried none. */
  readonly integrations: string | null;
  /** JSON of the call's fields that the delivered message does not carry, for the trace; null when there are none. */
  readonly unsent: string | null;
  /** The delivered body, UTF-8. A fixed point of `JSON.stringify(JSON.parse(body))`. */
  readonly body: Uint8Array;
}

/** An event on its way into the log. */
export interface NewEvent extends Event {
  /** As the call has it; it is in the body too. */
  readonly anonymousId?: string | null;
}

/**
 * Whose an event is: events of one source with one messageId are the same event only where this is the same
 * (contract 8.7). Else a stranger with a public key could have a call left out whose messageId they guess.
 */
export function ownerOf({ userId, anonymousId }: Pick<NewEvent, 'userId' | 'anonymousId'>): string {
  return userId ?? anonymousId?.toWellFormed() ?? '';
}

/**
 * Where an event stands in the log. Opaque to every stage: unique in the log, growing in the order of acceptance within
 * a source.
 */
export type Position = number;

export interface LogEntry extends Event {
  readonly position: Position;
}
