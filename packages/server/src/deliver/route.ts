import { BoundedMap } from '../core/bounded-map.ts';
import type { Destination, TrackFilter } from '../core/destination.ts';
import { WEBHOOKS } from '../core/destination.ts';
import type { Event } from '../core/event.ts';
import type { FilterReason } from '../core/reason.ts';

export type RoutedEvent = Pick<Event, 'sourceId' | 'type' | 'name' | 'integrations' | 'receivedAt' | 'timestamp'>;

/**
 * Whether an event goes to a destination (contract 9): null when it does, else the first reason against it, in this
 * order: the destination is off; its source is no longer connected; the call's integrations object says no; the
 * destination's track filter leaves the event's name out; it had happened longer ago than the destination takes, when it
 * was accepted. So an event's age never changes, however often it is judged again.
 */
export function verdict(event: RoutedEvent, destination: Destination): FilterReason | null {
  if (!destination.enabled) return 'destination_disabled';
  if (!destination.sourceIds.includes(event.sourceId)) return 'source_disconnected';
  if (event.integrations !== null && !allows(event.integrations)) return 'integrations';
  if (destination.trackFilter !== null && event.type === 'track' && !passes(event.name, destination.trackFilter)) {
    return 'track_filter';
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

/** Calls of one source carry the same few integrations objects again and again. */
const MAX_REMEMBERED = 1000;
const remembered = new BoundedMap<string, boolean>(MAX_REMEMBERED);

function allows(integrations: string): boolean {
  const known = remembered.get(integrations);
  if (known !== undefined) return known;
  const answer = says(JSON.parse(integrations));
  remembered.set(integrations, answer);
  return answer;
}

/**
 * The exact name `Webhooks`, else `All`, else yes. Only `false` says no: an object holds options for a destination that
 * is on, and null says nothing.
 */
function says(integrations: Readonly<Record<string, unknown>>): boolean {
  const choice = (Object.hasOwn(integrations, WEBHOOKS) ? integrations[WEBHOOKS] : null) ?? integrations['All'];
  return choice !== false;
}

/** A filter is replaced, never changed, when its destination is edited; so its names are made a set once. */
const sets = new WeakMap<TrackFilter, ReadonlySet<string>>();

function passes(name: string | null, filter: TrackFilter): boolean {
  let names = sets.get(filter);
  if (names === undefined) {
    names = new Set(filter.events);
    sets.set(filter, names);
  }
  return names.has(name ?? '') === (filter.mode === 'allow');
}
