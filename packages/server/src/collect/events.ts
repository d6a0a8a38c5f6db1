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
  const bodies = encode(drafts);
  return drafts.map((draft, i) => ({
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
    body: bodies[i] as Uint8Array,
  }));
}

/** All bodies in one allocation: the text of all messages is encoded once, and each body is a view of it. */
function encode(drafts: readonly Draft[]): Uint8Array[] {
  let text = '';
  for (const draft of drafts) text += draft.text;
  const all = Buffer.from(text, 'utf8');
  const ascii = all.length === text.length;
  let start = 0;
  return drafts.map((draft) => {
    const end = start + (ascii ? draft.text.length : Buffer.byteLength(draft.text));
    const body = all.subarray(start, end);
    start = end;
    return body;
  });
}
