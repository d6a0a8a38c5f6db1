import type { NewEvent } from '../core/event.ts';
import type { Draft } from './call.ts';
import { type ReadCalls, type RequestFacts, readBatch, readSingle } from './calls.ts';

/** What a request contains: events for the log, and refused calls. */
export interface ReadEvents extends Omit<ReadCalls, 'drafts'> {
  readonly events: readonly NewEvent[];
}

/**
 * Turns calls into events: for the collection API, for calls of the service itself, and for test messages.
 *
 * @throws Fault for a body that is refused as a whole.
 */
export function readEvents(body: unknown, kind: string, facts: RequestFacts): ReadEvents {
  const { drafts, ...rest } = isBatch(kind) ? readBatch(body, facts) : readSingle(body, kind, facts);
  return { ...rest, events: eventsOf(drafts, facts) };
}

export function isBatch(kind: string): boolean {
  return kind === 'batch' || kind === 'import';
}

function eventsOf(drafts: readonly Draft[], { source, receivedAt }: RequestFacts): NewEvent[] {
  const { id: sourceId, sentBy } = source;
  return drafts.map((draft) => ({
    sourceId,
    messageId: draft.messageId,
    type: draft.type,
    name: draft.name,
    userId: draft.userId,
    anonymousId: draft.anonymousId,
    receivedAt,
    timestamp: sentBy === undefined ? draft.timestamp : receivedAt,
    integrations: draft.integrations,
    unsent: draft.unsent,
    body: Buffer.from(draft.text),
  }));
}
