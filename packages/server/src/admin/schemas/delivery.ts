import Type, { type Static } from 'typebox';
import { DELIVERY_STATES, OUTCOME_CLASSES } from '../../core/delivery.ts';
import { MOST_ATTEMPTS } from '../../core/kept-attempts.ts';
import { REASONS } from '../../core/reason.ts';
import { SEND_ERRORS } from '../../core/send-error.ts';
import {
  anyObject,
  bound,
  eventType,
  eventWords,
  id,
  milliseconds,
  position,
  textOrNull,
  texts,
  time,
  timeOrNull,
  whole,
} from './field.ts';
import { paged } from './page.ts';
import { Replay } from './replay.ts';
import {
  answer,
  closed,
  described,
  flag,
  input,
  list,
  nullable,
  object,
  oneOf,
  optional,
  optionals,
  text,
} from './shape.ts';

const state = oneOf(DELIVERY_STATES);

const webhookId = text('Id of the URL among those of the destination: the same when the URL is edited');

/** Of one of the attempts of a message. */
export const leftOut = whole(
  1,
  `How many attempts before this one are no longer kept: of a message ${MOST_ATTEMPTS} are, the first and the last ones`,
);

const part = nullable(described(milliseconds, 'Milliseconds'));

const attempt = {
  url: text('As it was at the attempt'),
  at: time,
  ms: milliseconds,
  status: nullable(Type.Integer({ description: 'Of HTTP; null when no response headers came' })),
  error: nullable(text(`Stable code where there is no status: ${Object.keys(SEND_ERRORS).join(', ')}`)),
  detail: textOrNull,
  answer: nullable(text('First 1 KiB of the answer')),
  timing: optional(
    object(
      { dns: part, connect: part, tls: part, firstByte: part },
      'Of an attempt that failed or opened its connection; null for a part that did not happen',
    ),
  ),
  responseHeaders: optional(texts({ description: 'Some headers of the answer, of an attempt that failed' })),
};

/** One request to one URL. */
export type Attempt = Static<typeof Attempt>;
export const Attempt = answer('Attempt', { webhookId, ...attempt, leftOut: optional(leftOut) });

/**
 * Names one accepted event. A messageId is unique per source and user id (else anonymous id); if these are absent, the newest
 * event is meant. A position names the event exactly.
 */
export type MessageChoice = Static<typeof MessageChoice>;
const chosenBy = optionals({
  ...{ sourceId: id, userId: text(), anonymousId: text('Of a call without a userId') },
  position: described(position, 'As lists of events and deliveries have it: then it is this event and no other'),
});
export const MessageChoice = closed(
  { messageId: text(), ...chosenBy },
  'In place of a call, an accepted event, to the byte, under its source',
);

export type TestCall = Static<typeof TestCall>;
export const TestCall = input('TestCall', optionals({ event: anyObject, message: MessageChoice }), {
  description: 'A call as a client would send it; a sample track call when absent',
  examples: [{ event: { type: 'track', event: 'Order Completed', userId: 'u1', properties: { total: 12 } } }],
});

export const outcomeClass = oneOf(OUTCOME_CLASSES, '`temporary`: it is tried again; `permanent`: the message fails');

export type TestedUrl = Static<typeof TestedUrl>;
export const TestedUrl = answer('TestedUrl', {
  ...attempt,
  class: outcomeClass,
  headers: texts({ description: 'Request headers as sent, signature and static headers included' }),
});

const clause = nullable(
  text('Which clause of the filter, or which consent, it was (`condition`, `consent`), in words of the time'),
);

export type TestResult = Static<typeof TestResult>;
export const TestResult = answer('TestResult', {
  messageId: text(),
  body: text('The body as sent to every URL, JSON text'),
  clause,
  filtered: nullable(text('Why a delivery would not have been made (`track_filter`…); null when it would')),
  urls: list(TestedUrl),
});

const fate = {
  clause,
  reason: nullable(text(`Why it failed or was filtered: ${Object.keys(REASONS).join(', ')}`)),
  attempts: list(Attempt),
  rounds: whole(0, 'Rounds of attempts made in the current retry window'),
  nextAttemptAt: timeOrNull,
  heldFor: described(
    nullable(oneOf(['resume', 'permission'])),
    '`resume`: it waits until the destination, or the URL that it waits for, is resumed. `permission`: it goes to this ' +
      'machine, which an admin has not allowed since the start. Null where it is tried, or its end is known',
  ),
};

export type Delivery = Static<typeof Delivery>;
export const Delivery = answer('Delivery', { destinationId: id, ...eventWords, state, ...fate, updatedAt: time });

/** The common filters for events and for deliveries. */
const search = {
  ...optionals({
    event: text("Exact name of a track call's event"),
    userId: text(),
    from: bound,
    to: bound,
  }),
  ...paged,
};

export type SearchQuery = Omit<DeliveriesQuery, 'destinationId' | 'state'>;
export type DeliveriesQuery = Static<typeof deliveriesQuery>;
export const deliveriesQuery = closed({ ...optionals({ destinationId: id, state }), ...search });

export type EventOutcome = FoundEvent['outcome'];
export type FoundEvent = Static<typeof FoundEvent>;
export const FoundEvent = answer('FoundEvent', {
  ...eventWords,
  outcome: oneOf(
    ['delivered', 'partly', 'failed', 'retrying', 'waiting', 'filtered', 'none'],
    'Of all its lanes together: `failed` at one and delivered nowhere, `partly` failed at one and delivered by ' +
      'another, `retrying` and `waiting` while a lane is not done, `none` where no lane has it',
  ),
});

export type EventsQuery = Static<typeof eventsQuery>;
export const eventsQuery = closed({
  ...optionals({ messageId: text(), sourceId: id, type: eventType }),
  ...search,
  ...optionals({
    event: text("Name of a track call's event, or of a page or screen"),
    match: oneOf(['exact', 'prefix'], {
      default: 'exact',
      description:
        '`prefix`: messageId, event and userId are compared by their beginning, with A to Z like a to z. A messageId ' +
        'that exists as it is given is answered alone',
    }),
  }),
});

export type SendAgain = Static<typeof SendAgain>;
export const SendAgain = input(
  'SendAgain',
  { destinationId: id },
  { examples: [{ destinationId: 'dst_nbswy3dpeb3w64tm' }] },
);

export type SentAgain = Static<typeof SentAgain>;
export const SentAgain = answer(
  'SentAgain',
  { replay: Replay },
  'A replay of one, over already: it is back to waiting',
);

export type TracedRequest = Static<typeof TracedRequest>;
export const TracedRequest = object({
  webhookId,
  url: text('As it is now'),
  headers: texts({ description: 'Signature and static headers included' }),
  changedSince: flag('The settings were changed after the last attempt at this URL: it may have carried other headers'),
});

export type UrlFate = Static<typeof UrlFate>;
const UrlFate = object({
  webhookId,
  url: text('As it is now'),
  fate: oneOf(
    ['took', 'waits', 'paused', 'refused', 'missed', 'none'],
    '`took`: it answered 2xx. `waits`: it is tried, again. `paused`: the same once it is resumed. `refused`: for good. `missed`: until the ' +
      'message ended. `none`: nothing was sent to it',
  ),
});

export type TracedLane = Static<typeof TracedLane>;
export const TracedLane = object({
  destinationId: id,
  requests: list(
    TracedRequest,
    'What a request for this message carries under the settings of now; empty when the destination is deleted',
  ),
  destinationName: described(textOrNull, 'Null when the destination is deleted'),
  redacted: list(text(), 'Paths of the rules of now that change something in the call'),
  sent: optional(text('The body of its requests, where `redacted` has some')),
  urls: list(UrlFate, 'What each URL made of it, where the destination asks for all; empty where one is enough'),
  isQueued: flag('It waits for an earlier call of its user, which is tried again'),
  probeAt: described(
    timeOrNull,
    'When the destination is tried next, while its breaker is open and the message waits; null where neither is so',
  ),
  state: oneOf([...DELIVERY_STATES, 'waiting'], '`waiting`: the lane has not come to it yet'),
  ...fate,
  updatedAt: timeOrNull,
});

/** The whole path of one message. */
export type Trace = Static<typeof Trace>;
export const Trace = answer('Trace', {
  ...eventWords,
  others: whole(
    0,
    'How many other events have this messageId, of other sources or users; `GET /api/events?messageId=` lists them. 100 at most',
  ),
  received: described(
    anyObject,
    "The call as it was received, put together again from what was kept: its batch's context and integrations merged in",
  ),
  sent: text(
    'The body of every request, JSON text, byte for byte; but of a destination that changes some of its fields',
  ),
  notKept: object(
    { traits: list(text()), group: textOrNull },
    "What of an identify or group call the profiles don't keep, because it is too much. It is delivered",
  ),
  lanes: list(TracedLane),
});

export const traceParams = object({ messageId: text({ minLength: 1, maxLength: 400 }) });

export const traceQuery = closed(chosenBy);
