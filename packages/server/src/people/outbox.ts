import type { Source } from '../core/source.ts';
import type { Message } from './contract.ts';

/** Takes calls under a source as the collection API takes them from outside; answers the refused ones. */
export type FrontDoor = (sourceId: string, calls: readonly object[]) => Promise<readonly Rejected[]>;

export interface Rejected {
  readonly code: string;
  readonly message: string;
}

/** How a message is sent: its trait's name and its source. */
export interface Sender {
  readonly source: Source;
  readonly key: string;
}

/** Messages of one source that are sent as one request. */
export interface OutgoingBatch {
  readonly messages: readonly Message[];
  readonly sender: Sender;
}

/** Keeps a batch well below the collection API's limit of 500 KB. */
const BATCH_BYTES = 300_000;

/**
 * Messages in batches by source, in their order, which must be kept; sources need not wait for each other. Messages without a
 * sender are left out.
 */
export function batchesOf(
  messages: readonly Message[],
  senderOf: (definitionId: string) => Sender | undefined,
): (readonly OutgoingBatch[])[] {
  const bySource = new Map<string, { messages: Message[]; sender: Sender; bytes: number }[]>();
  for (const message of messages) {
    const sender = senderOf(message.definitionId);
    if (!sender) continue;
    const bytes = 400 + Buffer.byteLength(message.userId) + Buffer.byteLength(message.value);
    const batches = bySource.get(sender.source.id) ?? [];
    bySource.set(sender.source.id, batches);
    const last = batches.at(-1);
    if (last && last.bytes + bytes <= BATCH_BYTES) {
      last.messages.push(message);
      last.bytes += bytes;
    } else {
      batches.push({ messages: [message], sender, bytes });
    }
  }
  return [...bySource.values()];
}

/**
 * Makes the identify calls of a batch (contract 10.3). Each has a messageId of its own that never changes, so a batch
 * that is sent again, because a crash came between, is a duplicate to the log.
 *
 * @throws Fault when the log can't take them now.
 */
export function sendBatch(door: FrontDoor, { messages, sender }: OutgoingBatch): Promise<readonly Rejected[]> {
  const calls = messages.map(({ id, definitionId, userId, value, at }) => ({
    type: 'identify',
    userId,
    traits: { [sender.key]: JSON.parse(value) as unknown },
    timestamp: new Date(at).toISOString(),
    messageId: `${definitionId}-${id}-${at.toString(36)}`,
  }));
  return door(sender.source.id, calls);
}
