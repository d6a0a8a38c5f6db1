import Type, { type Static } from 'typebox';
import { count, id, textOrNull, timeOrNull, whole } from './field.ts';
import { answer, described, flag, list, object, oneOf, text } from './shape.ts';

const counts = {
  accepted: count,
  processed: count,
  failed: count,
  filtered: count,
  waiting: count,
  retrying: count,
};

export type Counts = Static<typeof Counts>;
export const Counts = answer('Counts', counts, {
  description: 'Exact: accepted = processed + failed + filtered + waiting; retrying is a part of waiting',
  examples: [{ accepted: 10, processed: 7, failed: 1, filtered: 1, waiting: 1, retrying: 1 }],
});

export type LaneCounts = Static<typeof LaneCounts>;
export const LaneCounts = answer(
  'LaneCounts',
  {
    laneId: Type.Integer(),
    sourceId: id,
    ended: flag('The pair was cut; the lane only finishes what it holds'),
    ...counts,
  },
  'Of one source and destination. A pair that was cut and connected again has had several lanes',
);

export type UrlStatus = Static<typeof UrlStatus>;
export const UrlStatus = object({
  id,
  url: text(),
  concurrency: whole(0, 'Requests it may have under way at once, now; in a cluster, from the node that answers'),
  inFlight: described(count, 'Of the node that answers'),
  stalled: flag("It doesn't answer, and gets single attempts until it does; the node that answers has found that"),
  overloaded: flag(
    'It takes fewer messages than come: in the last minute messages were not sent to it; the node that answers has found that',
  ),
  lastError: described(textOrNull, 'Null where none came since it last succeeded, at the node that answers'),
  pausedSince: described(timeOrNull, 'Since when it stands still on demand; null where it does not'),
});

export type DestinationStatus = Static<typeof DestinationStatus>;
export const DestinationStatus = answer('DestinationStatus', {
  held: flag('It sends to this machine, which an admin has not allowed since the start: its events wait'),
  breaker: oneOf(['closed', 'open', 'probing'], '`open`: a sustained outage, nothing is sent until a probe succeeds'),
  probeAt: described(timeOrNull, 'When the next probe goes out; null while the breaker is closed'),
  pausedSince: described(timeOrNull, 'Since when it stands still as a whole, on demand; null where it does not'),
  urls: list(UrlStatus),
});
