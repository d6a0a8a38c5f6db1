import Type, { type Static } from 'typebox';
import { eventType, eventWords, id, textOrNull, time, whole } from './field.ts';
import { answer, closed, described, list, optionals, text } from './shape.ts';

/** An event as lists show it. */
export type EventSummary = Static<typeof EventSummary>;
export const EventSummary = answer('EventSummary', eventWords);

/**
 * The live debugger's stream (`GET /api/events/live`, server-sent events): `event` messages carry a `LiveEvent`, `rejected` ones
 * a `LiveRejection`, `sampled` messages (once a second) a `LiveRate`. It begins with the last 100 events that pass the filter,
 * oldest first. New events are sent up to 50 a second, spread evenly; the others are only counted. The `id` of a message is
 * unique, and stays the same when the stream is opened again.
 */
export type LiveEvent = Static<typeof LiveEvent>;
export const LiveEvent = answer('LiveEvent', { ...eventWords, body: text('The delivered body, JSON text') });

/** Not sent if the filter names a type, an event or a user. */
export type LiveRejection = Static<typeof LiveRejection>;
export const LiveRejection = answer(
  'LiveRejection',
  {
    sourceId: described(textOrNull, 'Null where the write key names no source'),
    code: text(),
    message: text(),
    part: text('The beginning of what was refused, as text'),
    receivedAt: time,
  },
  'A call or a whole request that was refused',
);

export type LiveRate = Static<typeof LiveRate>;
export const LiveRate = answer(
  'LiveRate',
  {
    matched: whole(0, 'Events that passed the filter'),
    sent: whole(0, 'How many of those were sent'),
    accepted: whole(0, 'All events accepted'),
  },
  'Of the last second',
);

export const liveQuery = closed(
  optionals({
    sourceId: id,
    type: eventType,
    event: text("Exact name of a track call's event, or of a page or screen"),
    userId: text(),
    text: text({
      minLength: 1,
      maxLength: 200,
      description: 'Part of the delivered body, as its JSON has it, in upper or lower case',
    }),
  }),
);

const path = text({ minLength: 1, maxLength: 2_000 });

export const watchQuery = closed({
  path: Type.Union([path, list(path, { minItems: 1, maxItems: 16 })], {
    description: 'What is watched: `/api/overview`; given up to 16 times',
  }),
});
