import { createHash } from 'node:crypto';
import type { Event, LogEntry } from '../core/event.ts';
import { isWithinLane, type Lane } from '../core/lane.ts';
import type { Notice, NoticeCounts, Receipt, Regulation } from './contract.ts';

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
 * The notice with the results that it has by now. Its state changes when each of the lanes has a result.
 *
 * @param lanes the lanes of the notice's source.
 */
export function withResults(notice: Notice, lanes: readonly Lane[], deliveries: readonly Receipt[]): Notice {
  const now = deliveries.filter(({ state }) => state !== 'retrying').map(receiptOf);
  const isNow = (id: string): boolean => now.some(({ destinationId }) => destinationId === id);
  // Results at deleted destinations are kept as they were, and those of a replay that still runs.
  const receipts = [...notice.receipts.filter(({ destinationId }) => !isNow(destinationId)), ...now];
  const ofNotice = lanes.filter((lane) => isWithinLane(lane, notice.position));
  if (!ofNotice.every(({ destinationId }) => isNow(destinationId))) return { ...notice, receipts };
  const isTaken = receipts.some(({ state }) => state === 'processed');
  const state = isRefused({ receipts }) ? 'failed' : isTaken ? 'delivered' : 'filtered';
  return { ...notice, state, receipts };
}

/** Whether a destination refused the notice for good. Others may still have to take it. */
export function isRefused({ receipts }: Pick<Notice, 'receipts'>): boolean {
  return receipts.some(({ state }) => state === 'failed');
}

/** The counts of a regulation, also of one that an older version stored: it counted a failed notice when it had ended. */
export function countsOf({
  total,
  ended,
  failed,
  filtered = 0,
  delivered = Math.max(0, ended - failed - filtered),
}: NoticeCounts): Required<NoticeCounts> {
  return { total, ended, delivered, failed, filtered };
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
