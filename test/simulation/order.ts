import type { DeliveryResult } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import { parseDuration } from '../../packages/server/src/core/duration.ts';
import type { LogEntry, NewEvent } from '../../packages/server/src/core/event.ts';
import type { Lane } from '../../packages/server/src/core/lane.ts';
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

/**
 * Of messages of one user, source and destination: an earlier call that was tried, has no end, and has not held up the others
 * for long enough. Calls before and after the source was connected again have no order: they are of two lanes.
 */
export function heldUpBy(
  { entry }: Message,
  messages: readonly Message[],
  { orderHold }: Destination,
  { lanes, restartedAt, now }: { readonly lanes: readonly Lane[]; readonly restartedAt: number; readonly now: number },
): string | undefined {
  const hold = parseDuration(orderHold ?? '') ?? 0;
  const earlier = messages.find(({ entry: before, end, receipts, retriedSince }) => {
    if (before.position >= entry.position || end !== null || receipts.length === 0) return false;
    const isOfLane = lanes.every(({ after, sourceId }) => {
      return sourceId !== entry.sourceId || after < before.position || after >= entry.position;
    });
    return isOfLane && now < Math.max(retriedSince ?? now, restartedAt) + hold;
  });
  return earlier?.entry.messageId;
}

/** How long calls of one user can hold up each other, milliseconds: one after the other, each for the longest hold. */
export function longestLine(destinations: readonly Destination[], events: readonly NewEvent[], window: number): number {
  const hold = Math.max(0, ...destinations.map(({ order, orderHold = '' }) => holdOf(order, orderHold)));
  const lines = Map.groupBy(events, ({ sourceId, userId }) => `${sourceId} ${userId}`);
  return Math.max(0, ...[...lines.values()].map(({ length }) => length)) * Math.min(hold, window);
}

function holdOf(order: Destination['order'], hold: string): number {
  return order === 'user' ? (parseDuration(hold) ?? 0) : 0;
}
