import { createHash } from 'node:crypto';
import type { Event, LogEntry } from '../core/event.ts';
import { isWithinLane, type Lane } from '../core/lane.ts';
import type { Notice, Receipt, Regulation } from './contract.ts';

/**
 * The id of the delete message of a regulation for one user and source: always the same, so that it is not sent twice, and
 * nothing that tells the user.
 */
export function noticeId(regulationId: string, userId: string, sourceId: string): string {
  const hash = createHash('sha256').update(JSON.stringify([regulationId, userId, sourceId]));
  return `del_${hash.digest('base64url')}`;
}

/** The delete message (contract 1.1): type, userId and the time of the request, and nothing else. */
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
 * The notice as its deliveries say it has ended; null while one of its lanes has none, or one that is still tried.
 * `lanes` are those of its source.
 */
export function ended(notice: Notice, lanes: readonly Lane[], deliveries: readonly Receipt[]): Notice | null {
  const isOver = ({ destinationId }: Lane): boolean =>
    deliveries.some((delivery) => delivery.destinationId === destinationId && delivery.state !== 'retrying');
  if (!lanes.filter((lane) => isWithinLane(lane, notice.position)).every(isOver)) return null;
  const now = deliveries.map(receiptOf);
  // Those of a destination that is gone stay as they were.
  const before = notice.receipts.filter((one) => now.every(({ destinationId }) => destinationId !== one.destinationId));
  const receipts = [...before, ...now];
  const states = new Set(receipts.map(({ state }) => state));
  const state = states.has('failed') ? 'failed' : states.has('processed') ? 'delivered' : 'filtered';
  return { ...notice, state, receipts };
}

function receiptOf({ destinationId, state, reason, at, attempts }: Receipt): Receipt {
  const shown = attempts.map(({ url, at, ms, status, error }) => ({ url, at, ms, status, error }));
  return { destinationId, state, reason, at, attempts: shown };
}

export function isNotice({ type }: Pick<LogEntry, 'type'>): boolean {
  return type === 'delete';
}
