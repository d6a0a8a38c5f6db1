import Type from 'typebox';
import type { EventType } from '../../core/event.ts';
import type * as contract from '../contract.ts';
import { count, eventType, id, textOrNull, time } from './field.ts';
import type { SchemaOf } from './shape.ts';
import { named } from './shape.ts';

export const LiveEvent: SchemaOf<contract.LiveEvent> = named<contract.LiveEvent>()(
  'LiveEvent',
  Type.Object({
    messageId: Type.String(),
    sourceId: id,
    type: eventType,
    event: textOrNull,
    userId: textOrNull,
    receivedAt: time,
    body: Type.String({ description: 'The delivered body, JSON text' }),
  }),
);

export const LiveRejection: SchemaOf<contract.LiveRejection> = named<contract.LiveRejection>()(
  'LiveRejection',
  Type.Object(
    { sourceId: textOrNull, code: Type.String(), message: Type.String(), part: Type.String(), receivedAt: time },
    {
      description: 'A call or a whole request that was refused; `sourceId` is null where the write key names no source',
    },
  ),
);

export const LiveRate: SchemaOf<contract.LiveRate> = named<contract.LiveRate>()(
  'LiveRate',
  Type.Object(
    { matched: count, sent: count, accepted: count },
    { description: 'Of the last second: events that passed the filter, how many of those were sent, all accepted' },
  ),
);

export interface LiveQuery {
  sourceId?: string;
  type?: EventType;
  event?: string;
  userId?: string;
  text?: string;
}

export const liveQuery: SchemaOf<LiveQuery> = Type.Unsafe<LiveQuery>(
  Type.Object(
    {
      sourceId: Type.Optional(id),
      type: Type.Optional(eventType),
      event: Type.Optional(Type.String({ description: "Exact name of a track call's event, or of a page or screen" })),
      userId: Type.Optional(Type.String()),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 200,
          description: 'Part of the delivered body, as its JSON has it, whatever the case of its letters',
        }),
      ),
    },
    { additionalProperties: false },
  ),
);
