import type * as delivery from '../core/delivery.ts';
import type * as destination from '../core/destination.ts';
import type * as record from '../record/contract.ts';
import type * as contract from './contract.ts';
import type { RecentRejection, SendingStatus, TestSent } from './deps.ts';

/** What the service holds, as the admin API shows it. Secrets stop here. */

export function iso(at: number): string {
  return new Date(at).toISOString();
}

export function isoOrNull(at: number | null): string | null {
  return at === null ? null : iso(at);
}

export function rejectionView({ at, code, message, part }: RecentRejection): contract.Rejection {
  return { at: iso(at), code, message, part };
}

export function destinationView(from: destination.Destination): contract.Destination {
  return {
    id: from.id,
    name: from.name,
    type: from.type,
    sourceIds: [...from.sourceIds],
    enabled: from.enabled,
    settings: {
      webhooks: from.webhooks.map(({ url, headers }) => ({ url, headers: { ...headers } })),
      sharedSecret: { set: from.sharedSecret !== null },
    },
    trackFilter: from.trackFilter && { mode: from.trackFilter.mode, events: [...from.trackFilter.events] },
    createdAt: from.createdAt,
  };
}

export function statusView(from: SendingStatus): contract.DestinationStatus {
  return {
    breaker: from.breaker,
    probeAt: isoOrNull(from.probeAt),
    urls: from.urls.map(({ url, concurrency, inFlight, stalled, lastError }) => ({
      url,
      concurrency,
      inFlight,
      stalled,
      lastError,
    })),
  };
}

export function attemptView({ url, at, ms, status, error, detail, answer }: delivery.Attempt): contract.Attempt {
  return { url, at: iso(at), ms, status, error, detail, answer };
}

export function testView(from: TestSent): contract.TestResult {
  return {
    messageId: from.messageId,
    body: from.body,
    urls: from.urls.map((tested) => ({
      ...attemptView(tested.attempt),
      class: tested.class,
      headers: { ...tested.headers },
    })),
  };
}

export function deliveryView(from: record.Delivery): contract.Delivery {
  return {
    destinationId: from.destinationId,
    sourceId: from.sourceId,
    messageId: from.messageId,
    type: from.type,
    event: from.event,
    userId: from.userId,
    receivedAt: iso(from.receivedAt),
    state: from.state,
    reason: from.reason,
    attempts: from.attempts.map(attemptView),
    rounds: from.rounds,
    nextAttemptAt: isoOrNull(from.dueAt),
    updatedAt: iso(from.at),
  };
}

export function replayView(from: record.Replay): contract.Replay {
  return {
    id: from.id,
    destinationId: from.destinationId,
    state: from.state,
    filter: { event: from.filter.event, userId: from.filter.userId },
    from: isoOrNull(from.from),
    to: isoOrNull(from.to),
    perSecond: from.perSecond,
    status: from.status,
    total: from.total,
    done: from.done,
    createdAt: iso(from.createdAt),
  };
}

export function sampleView(from: record.ReplayCandidate): contract.ReplaySample {
  const { messageId, sourceId, type, event, userId, receivedAt } = from;
  return { messageId, sourceId, type, event, userId, receivedAt: iso(receivedAt) };
}
