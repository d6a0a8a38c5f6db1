import type { LogEntry } from '../core/event.ts';
import type { Lane } from '../core/lane.ts';
import type { Delivery } from '../record/contract.ts';
import type { Trace, TracedLane } from './contract.ts';
import { attemptView, iso, isoOrNull } from './views.ts';

/** The whole way of one event: the call, the body, and what each lane of its source made of it. */
export function traceOf(
  entry: LogEntry,
  deliveries: readonly Delivery[],
  lanes: readonly Lane[],
  nameOf: (destinationId: string) => string | null,
): Trace {
  const sent = new TextDecoder().decode(entry.body);
  const settled = deliveries.map((delivery) => settledLane(delivery, nameOf(delivery.destinationId)));
  const waiting = lanes
    .filter((lane) => lane.sourceId === entry.sourceId && holds(lane, entry))
    .filter((lane) => deliveries.every((delivery) => delivery.destinationId !== lane.destinationId))
    .map((lane) => waitingLane(lane.destinationId, nameOf(lane.destinationId)));
  return {
    messageId: entry.messageId,
    sourceId: entry.sourceId,
    type: entry.type,
    event: entry.name,
    userId: entry.userId,
    receivedAt: iso(entry.receivedAt),
    received: received(sent, entry.unsent),
    sent,
    lanes: [...settled, ...waiting],
  };
}

function holds(lane: Lane, entry: LogEntry): boolean {
  return entry.position > lane.after && (lane.until === null || entry.position <= lane.until);
}

/**
 * The call as it was received: the delivered body with its renamed identities under their own names again, without what
 * the service added, and with the fields that were not delivered. A call that gave only `originalTimestamp` shows it as
 * its `timestamp`; a `context.ip` that was filled in from the connection stays.
 */
export function received(sent: string, unsent: string | null): Record<string, unknown> {
  const body = JSON.parse(sent) as Record<string, unknown>;
  const { version: _, receivedAt: __, 'Previous ID': previousId, 'User ID': newId, originalTimestamp, ...call } = body;
  if (previousId !== undefined) call['previousId'] = previousId;
  if (newId !== undefined) call['userId'] = newId;
  if (call['userId'] === null) delete call['userId'];
  if (isEmpty(call['context'])) delete call['context'];
  // The text the client sent, not the instant that was made of it; none was sent when there is none.
  if (originalTimestamp === undefined) delete call['timestamp'];
  else call['timestamp'] = originalTimestamp;
  const kept = unsent === null ? {} : (JSON.parse(unsent) as Record<string, unknown>);
  if (kept['timestamp'] !== undefined) call['originalTimestamp'] = originalTimestamp;
  return { ...call, ...kept };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function settledLane(delivery: Delivery, name: string | null): TracedLane {
  return {
    destinationId: delivery.destinationId,
    destinationName: name,
    state: delivery.state,
    reason: delivery.reason,
    attempts: delivery.attempts.map(attemptView),
    rounds: delivery.rounds,
    nextAttemptAt: isoOrNull(delivery.dueAt),
    updatedAt: iso(delivery.at),
  };
}

function waitingLane(destinationId: string, name: string | null): TracedLane {
  return {
    destinationId,
    destinationName: name,
    state: 'waiting',
    reason: null,
    attempts: [],
    rounds: 0,
    nextAttemptAt: null,
    updatedAt: null,
  };
}
