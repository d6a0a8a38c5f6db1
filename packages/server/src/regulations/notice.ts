import { createHash } from 'node:crypto';
import type { Event, LogEntry } from '../core/event.ts';
import { isWithinLane, type Lane } from '../core/lane.ts';
import type { Notice, Receipt, Regulation } from './contract.ts';

/**
 * The messageId of the delete message of a regulation for one user and source. Always the same, so that the message is not sent
 * twice. It does not reveal the user.
 */
export function noticeId(regulationId: string, userId: string, sourceId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([regulationId, userId, sourceId]));
  return `del_${hash.digest('base64url')}`;
}

/** The delete message (contract 1.1): only type, userId and the time of the request. */
export function noticeEvent(regulation: Regulation, userId: string, sourceId: string, now: number): Event {
  const timestamp = new Date(regulation.createdAt).toISOString();
  return {
    sourceId,
    messageId: noticeId(regulation.id, userId, sourceId),
    type: 'delete',
    name: null,
    userId,
    receivedAt: now,
    timestamp: now,
    integrations: null,
    unsent: null,
    body: new TextEncoder().encode(JSON.stringify({ type: 'delete', userId, timestamp })),
  };
}

/**
 * The notice with its final results. Null while one of the lanes has no delivery of it, or one that is still retried.
 *
 * @param lanes the lanes of the notice's source.
 */
export function ended(notice: Notice, lanes: readonly Lane[], deliveries: readonly Receipt[]): Notice | null {
  const isOver = ({ destinationId }: Lane): boolean =>
    deliveries.some((delivery) => delivery.destinationId === destinationId && delivery.state !== 'retrying');
  if (!lanes.filter((lane) => isWithinLane(lane, notice.position)).every(isOver)) return null;
  const now = deliveries.map(receiptOf);
  // Results at deleted destinations are kept as they were.
  const before = notice.receipts.filter((one) => now.every(({ destinationId }) => destinationId !== one.destinationId));
  const receipts = [...before, ...now];
  const states = new Set(receipts.map(({ state }) => state));
  const state = states.has('failed') ? 'failed' : states.has('processed') ? 'delivered' : 'filtered';
  return { ...notice, state, receipts };
}

function receiptOf({ destinationId, state, reason, at, attempts }: Receipt): Receipt {
  const shown = attempts.map(({ url, at, ms, status, error, leftOut }) => {
    return { url, at, ms, status, error, ...(leftOut && { leftOut }) };
  });
  return { destinationId, state, reason, at, attempts: shown };
}

export function isNotice({ type }: Pick<LogEntry, 'type'>): boolean {
  return type === 'delete';
}
