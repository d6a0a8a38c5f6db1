import type { DeliveryResult } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import { parseDuration } from '../../packages/server/src/core/duration.ts';
import type { LogEntry } from '../../packages/server/src/core/event.ts';
import type { Receipt } from './endpoints.ts';
import type { Version } from './pauses.ts';

/** What is known of one event at one destination. */
export interface Message {
  readonly destinationId: string;
  readonly entry: LogEntry;
  readonly receipts: Receipt[];
  /** Set by the last recorded round that left it in the retry queue. */
  retry: { readonly earliest: number; readonly urlsLeft: readonly string[] } | null;
  end: DeliveryResult | null;
  /** When it was first put into the retry queue. */
  retriedSince?: number;
}

/** Whether the order of users was asked for at each moment since this process began. */
export function isOrderedSince(versions: readonly Version[], restartedAt: number): boolean {
  const since = versions.filter((_, i) => (versions[i + 1]?.from ?? Infinity) > restartedAt);
  return since.every(({ destination }) => destination?.order === 'user');
}

/** An earlier call of the user that was tried, has no end, and has not held up the others for long enough. */
export function heldUpBy(
  { entry }: Message,
  messages: readonly Message[],
  { id, orderHold }: Destination,
  restartedAt: number,
  now: number,
): string | undefined {
  const hold = parseDuration(orderHold ?? '') ?? 0;
  const earlier = messages.find(({ destinationId, entry: before, end, receipts, retriedSince }) => {
    const isOfUser = destinationId === id && before.userId === entry.userId && before.sourceId === entry.sourceId;
    if (!isOfUser || before.position >= entry.position || end !== null || receipts.length === 0) return false;
    return now < Math.max(retriedSince ?? now, restartedAt) + hold;
  });
  return earlier?.entry.messageId;
}
