import { memo, weakMemo } from '../core/bounded-map.ts';
import type { CallFilter, Destination, TrackFilter } from '../core/destination.ts';
import { WEBHOOKS } from '../core/destination.ts';
import type { Event } from '../core/event.ts';
import { isDiscarded } from '../core/hold.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { type RecordedReason, withClause } from '../core/reason.ts';
import { compileCallFilter } from './call-filter.ts';
import { callIn } from './parsed-body.ts';
import { isLasting, type Message } from './round.ts';

export type RoutedEvent = Pick<
  Event,
  'sourceId' | 'type' | 'name' | 'integrations' | 'receivedAt' | 'timestamp' | 'body'
>;

/** The settings that decide which events go to a destination. */
export type Routing = Pick<
  Destination,
  'enabled' | 'sourceIds' | 'trackFilter' | 'filter' | 'consent' | 'maxEventAgeHours'
>;

/**
 * Whether an event goes to a destination (contract 9): null when it does, else the first reason against it, in this
 * order: the destination is off; its source is no longer connected; the call's integrations object says no; the
 * destination's track filter leaves the event's name out; its filter leaves the call out; the user has not consented to
 * what it is for; it had happened longer ago than the destination takes, when it was accepted. So an event's age never
 * changes, however often it is judged again.
 *
 * It is the reason as it is recorded: with a clause where the filter or the consent is one (core/reason.ts). The body is
 * looked at only for these two. They let the notice of a deletion pass, and so does a source that is no longer connected: the
 * destination has what is to be deleted.
 */
export function verdict(event: RoutedEvent, destination: Routing): RecordedReason | null {
  if (!destination.enabled) return 'destination_disabled';
  const isNotice = event.type === 'delete';
  if (!isNotice && !destination.sourceIds.includes(event.sourceId)) return 'source_disconnected';
  if (event.integrations !== null && !allows(event.integrations)) return 'integrations';
  if (destination.trackFilter !== null && event.type === 'track' && !passes(event.name, destination.trackFilter)) {
    return 'track_filter';
  }
  const { filter, consent } = destination;
  if (!isNotice && (filter || consent?.length)) {
    const call = callIn(event.body);
    const clause = filter ? keptBackBy(filter)(call, event.sourceId) : null;
    if (clause !== null) return withClause('condition', clause);
    const missing = consent?.find((category) => !consents(call, category));
    if (missing !== undefined) return withClause('consent', missing);
  }
  if (
    destination.maxEventAgeHours !== null &&
    event.receivedAt - event.timestamp > destination.maxEventAgeHours * HOUR
  ) {
    return 'too_old';
  }
  return null;
}

const HOUR = 3_600_000;

/** Calls of one source carry the same few integrations objects. Of others, which callers make up, no more characters than this are kept. */
const MOST_REMEMBERED = 256 * 1024;
const allows = memo(
  MOST_REMEMBERED,
  (integrations) => says(JSON.parse(integrations)),
  (integrations) => integrations.length,
);

/**
 * The value of the exact name `Webhooks`, else of `All`, else yes. Only `false` says no: an object holds options of a destination
 * that is on, and null means no value.
 */
function says(integrations: Readonly<Record<string, unknown>>): boolean {
  const choice = (Object.hasOwn(integrations, WEBHOOKS) ? integrations[WEBHOOKS] : null) ?? integrations['All'];
  return choice !== false;
}

/** Why a message goes to no URL of a destination; null where it does. */
export function reasonAgainst(message: Message, destination: Destination): RecordedReason | null {
  const { entry } = message;
  const reason = verdict(entry, destination);
  if (reason !== null || isLasting(entry)) return reason;
  return isDiscarded(destination.hold, entry.position, message) ? 'discarded' : null;
}

/** An edited destination gets a new filter object, so each filter is compiled once. */
const keptBackBy = weakMemo((filter: CallFilter) => compileCallFilter(filter));

/** Whether the user has consented to a category. A call without consent fields gives none. */
function consents({ context }: JsonObject, category: string): boolean {
  const consent = isObject(context) ? context['consent'] : null;
  const preferences = isObject(consent) ? consent['categoryPreferences'] : null;
  return isObject(preferences) && preferences[category] === true;
}

/** The names of a track filter as a set, made once for each filter. */
const namesIn = weakMemo(({ events }: TrackFilter): ReadonlySet<string> => new Set(events));

function passes(name: string | null, filter: TrackFilter): boolean {
  return namesIn(filter).has(name ?? '') === (filter.mode === 'allow');
}
