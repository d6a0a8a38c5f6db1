import type { Destination } from '../../core/destination.ts';
import type { LogEntry } from '../../core/event.ts';
import { Fault } from '../../core/fault.ts';
import type { Lane } from '../../core/lane.ts';
import type { NotKept } from '../../people/queries.ts';
import type { DeliveryQuery, DeliveryStateOf, EventPage } from '../../record/contract.ts';
import { asked } from '../audited.ts';
import { callerOf, questionsOf } from '../caller.ts';
import type { EventOutcome, TracedLane } from '../contract.ts';
import { askedOf, sealPlace } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { instant, refuse } from '../input.ts';
import {
  Delivery,
  deliveriesQuery,
  type EventsQuery,
  eventsQuery,
  FoundEvent,
  type MessageChoice,
  type SearchQuery,
  SendAgain,
  SentAgain,
  Trace,
  traceParams,
  traceQuery,
} from '../schemas/delivery.ts';
import { pageOf } from '../schemas/page.ts';
import { holds, keptCall, type TraceSettings, traceOf } from '../trace.ts';
import { holdOf } from '../url-fates.ts';
import { deliveryView, replayView, summaryView } from '../views.ts';
import { type AdminApp, found, refusals, routesOf } from './route.ts';

const NOTHING_LOST: NotKept = { traits: [], group: null };

/** The most other events with the messageId of a trace that are counted. */
const MOST_OTHERS = 100;
const ANY = { sourceId: null, type: null, event: null, userId: null, from: null, to: null, cursor: null };

/** Refused, because its messages would be filtered, and no longer be listed as failed. */
export const SWITCHED_OFF =
  'This destination is switched off, so nothing is sent to it, and what failed stays as it is: switch it on first';

/** The chosen message; undefined if it does not exist or was dropped. */
export async function messageIn(
  log: AdminDeps['log'],
  { messageId, sourceId, userId, anonymousId, position }: MessageChoice,
): Promise<LogEntry | undefined> {
  // Includes deleted sources: their messages can still be seen.
  const sourceIds = async () => (sourceId === undefined ? [...(await log.totals()).keys()] : [sourceId]);
  const newest = async () => log.find(messageId, await sourceIds(), userId ?? anonymousId);
  const entry = position === undefined ? await newest() : (await log.fetch([position]))[0];
  // After a move to a cluster, another event may have this position.
  const isIt = entry?.messageId === messageId && (sourceId === undefined || entry.sourceId === sourceId);
  return isIt ? entry : undefined;
}

/** @throws Fault `not_found` */
export async function foundMessage(log: AdminDeps['log'], choice: MessageChoice): Promise<LogEntry> {
  return found(await messageIn(log, choice), `message ${choice.messageId}`);
}

/** Messages and their results: search, and the trace of one message. */
export function deliveryRoutes(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Deliveries');
  const { settings, deliveries, log, replays } = deps;
  const traced: TraceSettings = {
    destination: (id) => settings.destination(id),
    source: (id) => settings.source(id),
    statusOf: deps.destinationStatus,
  };

  routes.get('/deliveries', {
    operationId: 'listDeliveries',
    summary: 'Search deliveries, newest first',
    description:
      'A page may hold fewer items than its limit and still have a next one: a rare filter is searched piece by piece.',
    querystring: deliveriesQuery,
    response: { 200: pageOf(Delivery), ...refusals() },
    handler: async ({ query }) => {
      const page = await deliveries.list({
        destinationId: query.destinationId ?? null,
        state: query.state ?? null,
        ...searchOf('deliveries', query),
      });
      const items = page.items.map((item) => {
        const { destinationId } = item;
        const isAllowed = traced.statusOf(destinationId)?.held !== true;
        return deliveryView(item, holdOf(settings.destination(destinationId) ?? null, item, isAllowed));
      });
      return { items, next: sealPlace('deliveries', page.next) };
    },
  });

  routes.get('/events', {
    operationId: 'listEvents',
    summary: 'Search accepted events, newest first, also those that no destination took',
    description:
      'A page may hold fewer items than its limit and still have a next one: `type`, `event` and `userId` are searched ' +
      'piece by piece, and so is everything that is matched by its beginning. `messageId`, `sourceId`, `from` and `to` ' +
      'are looked up.',
    querystring: eventsQuery,
    response: { 200: pageOf(FoundEvent), ...refusals() },
    handler: async ({ query }) => {
      const page = await eventsFor(query);
      const [states, lanes] = await Promise.all([
        deliveries.statesOf(page.items.map(({ position }) => position)),
        log.lanes(),
      ]);
      const outcome = outcomes(states, lanes);
      const items = page.items.map((event) => ({ ...summaryView(event), outcome: outcome(event) }));
      return { items, next: sealPlace('events', page.next) };
    },
  });

  routes.get('/messages/:messageId', {
    operationId: 'traceMessage',
    summary: 'Follow one message: as received, as sent, and what each destination made of it',
    description:
      'A messageId is unique per source and user: `position` selects, or `sourceId` and `userId`, or `anonymousId`; else the ' +
      'newest is shown. `others` says how many others there are.',
    params: traceParams,
    querystring: traceQuery,
    response: { 200: Trace, ...refusals(404) },
    handler: async (request) => {
      const { messageId } = request.params;
      const entry = await foundMessage(log, { messageId, ...request.query });
      const [made, lanes, alike] = await Promise.all([
        deliveries.deliveriesOf(entry.position),
        log.lanes(),
        deliveries.events({ ...ANY, messageId, limit: MOST_OTHERS + 1 }),
      ]);
      const others = alike.items.filter(({ position }) => position !== entry.position).slice(0, MOST_OTHERS).length;
      const call = keptCall(entry);
      const notKept = call === null ? NOTHING_LOST : await questionsOf(deps, request).notKept(call);
      return { ...traceOf(entry, made, lanes, notKept, traced, callerOf(request).role), others };
    },
  });

  routes.post('/messages/:messageId/send-again', {
    action: 'message.send_again',
    operationId: 'sendAgain',
    summary: 'Send one message again to one destination',
    description:
      'In any state: processed, failed, or filtered (then it is judged again by the settings of now). It goes ' +
      'back to waiting with a new retry window and the same bytes. One that waits anyway is refused with 409.',
    params: traceParams,
    querystring: traceQuery,
    body: SendAgain,
    response: { 202: SentAgain, ...refusals(404, 409) },
    handler: async (request) => {
      const { params, query } = request;
      const { destinationId } = request.body;
      const entry = await foundMessage(log, { ...params, ...query });
      const destination = settings.destination(destinationId) ?? refuse('destinationId', 'names no destination');
      const replay = await replays.sendAgain({ destinationId, state: 'all', perSecond: 1 }, [entry], 1);
      if (replay === null) throw new Fault('conflict', await whyNot(entry, destination));
      request.auditChanges = asked({ destinationId });
      return { replay: replayView(replay) };
    },
  });

  /** People mostly paste a whole messageId: if it exists, longer messageIds are not searched for. */
  async function eventsFor(query: EventsQuery): Promise<EventPage> {
    const { messageId = null, sourceId = null, type = null, match = 'exact' } = query;
    const asked = { messageId, sourceId, type, ...searchOf('events', query) };
    if (match === 'exact') return deliveries.events(asked);
    const whole = messageId === null || asked.cursor !== null ? null : await deliveries.events(asked);
    return whole !== null && whole.items.length > 0 ? whole : deliveries.events({ ...asked, match });
  }

  /** Why a message can't be sent to a destination again. */
  async function whyNot(entry: LogEntry, { id, enabled }: Destination): Promise<string> {
    if (!enabled) return SWITCHED_OFF;
    const made = (await deliveries.deliveriesOf(entry.position)).find(({ destinationId }) => destinationId === id);
    if (made?.state === 'retrying')
      return `Message ${entry.messageId} is on its way to this destination: it is tried again by itself`;
    const lanes = (await log.lanes()).filter((lane) => lane.destinationId === id);
    return !made && lanes.some((lane) => holds(lane, entry))
      ? `Message ${entry.messageId} still waits for its first attempt at this destination: it goes out by itself`
      : `This destination gets nothing from source ${entry.sourceId}: connect them first`;
  }
}

function searchOf(list: 'deliveries' | 'events', query: SearchQuery): Omit<DeliveryQuery, 'destinationId' | 'state'> {
  return {
    event: query.event ?? null,
    userId: query.userId ?? null,
    from: instant(query.from, 'from'),
    to: instant(query.to, 'to'),
    ...askedOf(list, query),
  };
}

/** Makes a function that gives the overall result of an event in all its lanes. */
function outcomes(
  states: readonly DeliveryStateOf[],
  lanes: readonly Lane[],
): (event: Pick<LogEntry, 'position' | 'sourceId'>) => EventOutcome {
  const made = Map.groupBy(states, ({ position }) => position);
  return (event) => {
    const done = made.get(event.position) ?? [];
    const ends = new Set<TracedLane['state']>(done.map(({ state }) => state));
    const waits = lanes.some(
      (lane) => holds(lane, event) && done.every(({ destinationId }) => destinationId !== lane.destinationId),
    );
    if (waits) ends.add('waiting');
    return outcomeOf(ends);
  };
}

/** The overall result: states that need attention win. */
function outcomeOf(states: ReadonlySet<TracedLane['state']>): EventOutcome {
  if (states.has('failed')) return states.has('processed') ? 'partly' : 'failed';
  if (states.has('retrying')) return 'retrying';
  if (states.has('waiting')) return 'waiting';
  if (states.has('processed')) return 'delivered';
  return states.has('filtered') ? 'filtered' : 'none';
}
