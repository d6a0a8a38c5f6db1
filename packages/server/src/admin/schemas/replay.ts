import Type from 'typebox';
import type * as contract from '../contract.ts';
import { bound, count, eventType, id, textOrNull, time, timeOrNull } from './field.ts';
import { FAILURE } from './pattern.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, refOrNull } from './shape.ts';

/** Deliveries a replay makes due per second when the request doesn't say. */
export const DEFAULT_PER_SECOND = 100;
const MAX_PER_SECOND = 10_000;

/** Messages that one replay can be told one by one. */
const MOST_CHOSEN = 500;

const error = nullable(
  Type.String({
    pattern: FAILURE,
    maxLength: 64,
    description: 'How they failed: a status, a class of them, or the code of an error; of state failed only',
    examples: ['503', '4xx', 'timeout'],
  }),
);

const state = Type.Enum(['failed', 'all'], { type: 'string' });

const boundOrNull: SchemaOf<string | null> = nullable({ ...bound, type: 'string' } as typeof bound & { type: string });

export const NewReplay: SchemaOf<contract.NewReplay> = named<contract.NewReplay>()(
  'NewReplay',
  Type.Object(
    {
      destinationId: id,
      state,
      from: Type.Optional(boundOrNull),
      to: Type.Optional(boundOrNull),
      filter: Type.Optional(
        Type.Object(
          { event: Type.Optional(textOrNull), userId: Type.Optional(textOrNull), error: Type.Optional(error) },
          { additionalProperties: false },
        ),
      ),
      messages: Type.Optional(
        Type.Array(
          Type.Object(
            { messageId: Type.String({ minLength: 1 }), sourceId: id, userId: Type.Optional(textOrNull) },
            { additionalProperties: false },
          ),
          { minItems: 1, maxItems: MOST_CHOSEN, description: 'Only these, in any state' },
        ),
      ),
      perSecond: Type.Optional(Type.Number({ minimum: 0.1, maximum: MAX_PER_SECOND, default: DEFAULT_PER_SECOND })),
      dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Only count, and show a few' })),
    },
    {
      additionalProperties: false,
      examples: [
        { destinationId: 'dst_nbswy3dpeb3w64tm', state: 'failed', from: '2026-11-20', perSecond: 100, dryRun: true },
      ],
    },
  ),
);

export const ReplayPreview: SchemaOf<contract.ReplayPreview> = named<contract.ReplayPreview>()(
  'ReplayPreview',
  Type.Object({
    count,
    errors: Type.Array(Type.Object({ error: Type.String(), title: Type.String(), count })),
    sample: Type.Array(
      Type.Object({
        messageId: Type.String(),
        sourceId: id,
        type: eventType,
        event: textOrNull,
        userId: textOrNull,
        receivedAt: time,
      }),
    ),
  }),
);

export const ReplayResult: SchemaOf<contract.ReplayResult> = named<contract.ReplayResult>()(
  'ReplayResult',
  Type.Object(
    { delivered: count, failed: count, filtered: count, waiting: count },
    { description: 'What became of the messages that went back to waiting, exactly' },
  ),
);

export const Replay: SchemaOf<contract.Replay> = named<contract.Replay>()(
  'Replay',
  Type.Object({
    id,
    destinationId: id,
    state,
    filter: Type.Object({ event: textOrNull, userId: textOrNull, error: textOrNull }),
    chosen: nullable(Type.Integer({ description: 'How many messages were chosen for it one by one' })),
    messageId: nullable(Type.String({ description: 'The one message that it sends again' })),
    from: timeOrNull,
    to: timeOrNull,
    perSecond: Type.Number(),
    status: Type.Enum(['running', 'stopped', 'done'], { type: 'string' }),
    total: count,
    done: count,
    result: refOrNull(ReplayResult),
    createdAt: time,
  }),
);
