import Type from 'typebox';
import { DELIVERY_STATES, type DeliveryState, type OutcomeClass } from '../../core/delivery.ts';
import type { EventType } from '../../core/event.ts';
import type * as contract from '../contract.ts';
import { anyObject, bound, count, eventType, id, textOrNull, time, timeOrNull } from './field.ts';
import { cursor, limit, type PageQuery } from './page.ts';
import { Replay } from './replay.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref } from './shape.ts';

const state: SchemaOf<DeliveryState> = Type.Unsafe<DeliveryState>(Type.Enum([...DELIVERY_STATES], { type: 'string' }));

const outcomeClass: SchemaOf<OutcomeClass> = Type.Unsafe<OutcomeClass>(
  Type.Enum(['success', 'temporary', 'permanent'], { type: 'string' }),
);

const part = nullable(Type.Number({ minimum: 0, description: 'Milliseconds' }));

const attempt = {
  url: Type.String(),
  at: time,
  ms: Type.Number({ minimum: 0, description: 'How long it took, milliseconds' }),
  status: nullable(Type.Integer()),
  error: textOrNull,
  detail: textOrNull,
  answer: nullable(Type.String({ description: 'First 1 KiB of the answer' })),
  timing: Type.Optional(
    Type.Object(
      { dns: part, connect: part, tls: part, firstByte: part },
      { description: 'Of an attempt that failed or opened its connection; null for a part that did not happen' },
    ),
  ),
  responseHeaders: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: 'Some headers of the answer, of an attempt that failed' }),
  ),
};

export const Attempt: SchemaOf<contract.Attempt> = named<contract.Attempt>()('Attempt', Type.Object(attempt));

export const TestCall: SchemaOf<contract.TestCall> = named<contract.TestCall>()(
  'TestCall',
  Type.Object(
    {
      event: Type.Optional(anyObject),
      message: Type.Optional(
        Type.Object(
          {
            messageId: Type.String(),
            sourceId: Type.Optional(id),
            userId: Type.Optional(Type.String()),
            anonymousId: Type.Optional(Type.String({ description: 'Of a call without a userId' })),
          },
          {
            additionalProperties: false,
            description: 'In place of a call, an accepted event, to the byte, under its source',
          },
        ),
      ),
    },
    {
      additionalProperties: false,
      description: 'A call as a client would send it; a sample track call when absent',
      examples: [{ event: { type: 'track', event: 'Order Completed', userId: 'u1', properties: { total: 12 } } }],
    },
  ),
);

export const TestedUrl: SchemaOf<contract.TestedUrl> = named<contract.TestedUrl>()(
  'TestedUrl',
  Type.Object({
    ...attempt,
    class: outcomeClass,
    headers: Type.Record(Type.String(), Type.String(), { description: 'Request headers as sent' }),
  }),
);

export const TestResult: SchemaOf<contract.TestResult> = named<contract.TestResult>()(
  'TestResult',
  Type.Object({
    messageId: Type.String(),
    body: Type.String({ description: 'The body as sent to every URL, JSON text' }),
    filtered: nullable(
      Type.String({ description: 'Why a delivery would not have been made (`track_filter`…); null when it would' }),
    ),
    urls: Type.Array(ref(TestedUrl)),
  }),
);

const words = {
  sourceId: id,
  messageId: Type.String(),
  type: eventType,
  event: textOrNull,
  userId: textOrNull,
  receivedAt: time,
};

export const Delivery: SchemaOf<contract.Delivery> = named<contract.Delivery>()(
  'Delivery',
  Type.Object({
    destinationId: id,
    ...words,
    state,
    reason: textOrNull,
    attempts: Type.Array(ref(Attempt)),
    rounds: count,
    nextAttemptAt: timeOrNull,
    updatedAt: time,
  }),
);

/** What events and what became of them are searched by alike. */
export interface SearchQuery extends PageQuery {
  event?: string;
  userId?: string;
  from?: string;
  to?: string;
}

const search = {
  event: Type.Optional(Type.String({ description: "Exact name of a track call's event" })),
  userId: Type.Optional(Type.String()),
  from: Type.Optional(bound),
  to: Type.Optional(bound),
  cursor: Type.Optional(cursor),
  limit: Type.Optional(limit),
};

export interface DeliveriesQuery extends SearchQuery {
  destinationId?: string;
  state?: DeliveryState;
}

export const deliveriesQuery: SchemaOf<DeliveriesQuery> = Type.Unsafe<DeliveriesQuery>(
  Type.Object(
    {
      destinationId: Type.Optional(id),
      state: Type.Optional(state),
      ...search,
    },
    { additionalProperties: false },
  ),
);

export const EventSummary: SchemaOf<contract.EventSummary> = named<contract.EventSummary>()(
  'EventSummary',
  Type.Object(words),
);

const OUTCOMES: readonly contract.EventOutcome[] = [
  ...(['delivered', 'partly', 'failed', 'retrying', 'waiting', 'filtered', 'none'] as const),
];

export const FoundEvent: SchemaOf<contract.FoundEvent> = named<contract.FoundEvent>()(
  'FoundEvent',
  Type.Object({
    ...words,
    outcome: Type.Unsafe<contract.EventOutcome>(
      Type.Enum([...OUTCOMES], {
        type: 'string',
        description:
          'Of all its lanes together: `failed` at one and delivered nowhere, `partly` failed at one and delivered by ' +
          'another, `retrying` and `waiting` while a lane is not done, `none` where no lane has it',
      }),
    ),
  }),
);

export interface EventsQuery extends SearchQuery {
  match?: 'exact' | 'prefix';
  messageId?: string;
  sourceId?: string;
  type?: EventType;
}

export const eventsQuery: SchemaOf<EventsQuery> = Type.Unsafe<EventsQuery>(
  Type.Object(
    {
      messageId: Type.Optional(Type.String()),
      sourceId: Type.Optional(id),
      type: Type.Optional(eventType),
      ...search,
      event: Type.Optional(Type.String({ description: "Name of a track call's event, or of a page or screen" })),
      match: Type.Optional(
        Type.Unsafe<'exact' | 'prefix'>(
          Type.Enum(['exact', 'prefix'], {
            type: 'string',
            default: 'exact',
            description:
              '`prefix`: messageId, event and userId are compared by their beginning, with A to Z like a to z. A messageId ' +
              'that exists as it is given is answered alone',
          }),
        ),
      ),
    },
    { additionalProperties: false },
  ),
);

export const SendAgain: SchemaOf<contract.SendAgain> = named<contract.SendAgain>()(
  'SendAgain',
  Type.Object(
    { destinationId: id },
    { additionalProperties: false, examples: [{ destinationId: 'dst_nbswy3dpeb3w64tm' }] },
  ),
);

export const SentAgain: SchemaOf<contract.SentAgain> = named<contract.SentAgain>()(
  'SentAgain',
  Type.Object({ replay: ref(Replay) }),
);

const lane: SchemaOf<contract.TracedLane> = Type.Unsafe<contract.TracedLane>(
  Type.Object({
    destinationId: id,
    requests: Type.Array(
      Type.Object({
        url: Type.String(),
        headers: Type.Record(Type.String(), Type.String(), { description: 'Signature and static headers included' }),
        changedSince: Type.Boolean({ description: 'The settings were changed after the last attempt at this URL' }),
      }),
      { description: 'What a request for this message carries under the settings of now' },
    ),
    destinationName: textOrNull,
    state: Type.Enum([...DELIVERY_STATES, 'waiting'], { type: 'string' }),
    reason: textOrNull,
    attempts: Type.Array(ref(Attempt)),
    rounds: count,
    nextAttemptAt: timeOrNull,
    updatedAt: timeOrNull,
  }),
);

export const Trace: SchemaOf<contract.Trace> = named<contract.Trace>()(
  'Trace',
  Type.Object({
    ...words,
    received: anyObject,
    sent: Type.String({ description: 'The body of every request, JSON text, byte for byte' }),
    notKept: Type.Object(
      { traits: Type.Array(Type.String()), group: textOrNull },
      {
        description:
          "What of an identify or group call the profiles don't keep, because it is too much. It is delivered",
      },
    ),
    lanes: Type.Array(lane),
  }),
);

export const traceParams: SchemaOf<{ messageId: string }> = Type.Unsafe<{ messageId: string }>(
  Type.Object({ messageId: Type.String({ minLength: 1, maxLength: 400 }) }),
);

export interface TraceQuery {
  sourceId?: string;
  userId?: string;
  anonymousId?: string;
}

export const traceQuery: SchemaOf<TraceQuery> = Type.Unsafe<TraceQuery>(
  Type.Object(
    {
      sourceId: Type.Optional(id),
      userId: Type.Optional(Type.String()),
      anonymousId: Type.Optional(Type.String({ description: 'Of a call without a userId' })),
    },
    { additionalProperties: false },
  ),
);
