import type { Attempt } from '../core/delivery.ts';
import { type Destination, signingOf } from '../core/destination.ts';
import type { LogEntry } from '../core/event.ts';
import { isoOrNull } from '../core/instant.ts';
import { isWithinLane, type Lane } from '../core/lane.ts';
import { reasonParts } from '../core/reason.ts';
import type { Source } from '../core/source.ts';
import { isParked } from '../core/urls-left.ts';
import { callIn } from '../deliver/parsed-body.ts';
import { outgoing, redacted } from '../deliver/redaction.ts';
import { requestHeaders } from '../deliver/request.ts';
import type { RunnerStatus } from '../deliver/runner-world.ts';
import type { KeptCall, NotKept } from '../people/queries.ts';
import type { Delivery } from '../record/contract.ts';
import { webhookIdAt } from '../settings/webhook-id.ts';
import type { Role, Trace, TracedLane, TracedRequest } from './contract.ts';
import { holdOf, urlFates } from './url-fates.ts';
import { attemptView, headersView, picked, times } from './views.ts';

/**
 * The trace of one event: the call, the body, and the result in each lane of its source. With the role `viewer`, static headers
 * have names but no values.
 */
export function traceOf(
  entry: LogEntry,
  deliveries: readonly Delivery[],
  lanes: readonly Lane[],
  notKept: NotKept,
  settings: TraceSettings,
  role: Role,
): Omit<Trace, 'others'> {
  const sent = new TextDecoder().decode(entry.body);
  const waiting = lanes
    .filter((lane) => holds(lane, entry))
    .filter((lane) => deliveries.every((delivery) => delivery.destinationId !== lane.destinationId));
  const traced = (destinationId: string, delivery: Delivery | null): TracedLane => {
    const destination = settings.destination(destinationId) ?? null;
    const attempts = delivery?.attempts ?? [];
    const requests = destination === null ? [] : requestsOf(entry, destination, attempts, role, settings);
    const shaped = destination === null ? { redacted: [] } : shapedBy(entry, destination);
    const urls = urlFates(destination, delivery);
    const destinationName = destination?.name ?? null;
    const status = settings.statusOf(destinationId);
    const heldFor = holdOf(destination, delivery, status?.held !== true);
    const isOver = delivery !== null && delivery.state !== 'retrying';
    const probeAt = isOver ? null : isoOrNull(status?.probeAt ?? null);
    const isQueued = delivery?.state === 'retrying' && isParked(delivery);
    const now = { requests, urls, heldFor, probeAt, isQueued };
    return { ...laneView(destinationId, delivery), ...shaped, destinationName, ...now };
  };
  return {
    ...picked(entry, 'position', 'messageId', 'sourceId', 'type', 'userId'),
    ...times(entry, 'receivedAt'),
    event: entry.name,
    received: received(sent, entry.unsent),
    sent,
    notKept: picked(notKept, 'traits', 'group'),
    lanes: [
      ...deliveries.map((delivery) => traced(delivery.destinationId, delivery)),
      ...waiting.map(({ destinationId }) => traced(destinationId, null)),
    ],
  };
}

/** The call as people/ looks it up; null for a call without a person. */
export function keptCall({ type, sourceId, position, body }: LogEntry): KeptCall | null {
  if ((type !== 'identify' && type !== 'group') || body.byteLength === 0) return null;
  const { userId, anonymousId, traits, groupId } = JSON.parse(new TextDecoder().decode(body)) as Record<
    string,
    unknown
  >;
  const id = userId ?? anonymousId;
  if (typeof id !== 'string') return null;
  const group = type === 'group' ? String(groupId) : null;
  return { id, sourceId, position, traits: Object(traits) as KeptCall['traits'], groupId: group };
}

export interface TraceSettings {
  /** Null if this process does not send to it. */
  statusOf(destinationId: string): Pick<RunnerStatus, 'held' | 'probeAt'> | null;
  destination(id: string): Destination | undefined;
  source(id: string): Pick<Source, 'type'> | undefined;
}

/** Whether the lane hands out the event. */
export function holds(lane: Lane, { sourceId, position }: Pick<LogEntry, 'sourceId' | 'position'>): boolean {
  return lane.sourceId === sourceId && isWithinLane(lane, position);
}

/** The body after the rules of a destination. */
function shapedBy(entry: LogEntry, destination: Destination): Pick<TracedLane, 'redacted' | 'sent'> {
  const { body } = outgoing(entry, destination);
  if (body === entry.body) return { redacted: [] };
  return { redacted: redacted(callIn(entry.body), destination).changed, sent: new TextDecoder().decode(body) };
}

/** The requests that would be sent to each URL with the current settings, made by the code that sends. */
function requestsOf(
  entry: LogEntry,
  destination: Destination,
  attempts: readonly Attempt[],
  role: Role,
  settings: TraceSettings,
): TracedRequest[] {
  const { webhooks, updatedAt } = destination;
  const message = outgoing(entry, destination);
  const sourceTypeOf = (id: string): string => settings.source(id)?.type ?? 'unknown';
  return webhooks.map(({ id, url, headers }) => {
    const last = attempts.findLast((attempt) => webhookIdAt(attempt) === id);
    const shown = { url, headers: headersView(headers, role) };
    return {
      webhookId: id,
      url,
      headers: requestHeaders({ webhook: shown, ...signingOf(destination) }, message, sourceTypeOf),
      changedSince: last !== undefined && updatedAt !== null && Date.parse(updatedAt) > last.at,
    };
  });
}

/**
 * The call as it was received: the delivered body with renamed identities under their original names, without the fields that the
 * service added, and with those that were not delivered. A call that gave only `originalTimestamp` shows it as `timestamp`. A
 * `context.ip` that was filled in from the connection stays.
 */
export function received(sent: string, unsent: string | null): Record<string, unknown> {
  const body = JSON.parse(sent) as Record<string, unknown>;
  const { version: _, receivedAt: __, 'Previous ID': previousId, 'User ID': newId, originalTimestamp, ...call } = body;
  if (previousId !== undefined) call['previousId'] = previousId;
  if (newId !== undefined) call['userId'] = newId;
  if (call['userId'] === null) delete call['userId'];
  if (isEmpty(call['context'])) delete call['context'];
  // The client's text, instead of the parsed time. Without it, the client sent no timestamp.
  if (originalTimestamp === undefined) delete call['timestamp'];
  else call['timestamp'] = originalTimestamp;
  const kept = unsent === null ? {} : (JSON.parse(unsent) as Record<string, unknown>);
  if (kept['timestamp'] !== undefined) call['originalTimestamp'] = originalTimestamp;
  return { ...call, ...kept };
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** No delivery means that the lane has not yet reached the event: it waits. */
function laneView(
  destinationId: string,
  delivery: Delivery | null,
): Omit<
  TracedLane,
  'destinationName' | 'requests' | 'redacted' | 'sent' | 'urls' | 'heldFor' | 'probeAt' | 'isQueued'
> {
  return {
    destinationId,
    state: delivery?.state ?? 'waiting',
    ...reasonParts(delivery?.reason ?? null),
    attempts: delivery?.attempts.map(attemptView) ?? [],
    rounds: delivery?.rounds ?? 0,
    nextAttemptAt: isoOrNull(delivery?.dueAt ?? null),
    updatedAt: isoOrNull(delivery?.at ?? null),
  };
}
