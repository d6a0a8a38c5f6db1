import Type from 'typebox';
import { EVENT_TYPES } from '../../core/event.ts';
import { NOT_BLANK } from './pattern.ts';
import { described, nullable, oneOf, type SchemaOf, text } from './shape.ts';

/** Fields that several resources have. */

export const id = text({ minLength: 1, maxLength: 64 });

export const name = text({
  minLength: 1,
  maxLength: 200,
  pattern: NOT_BLANK,
  description: 'Not blank, at most 200 characters',
});

export const whole = (minimum: number, description: string): SchemaOf<number> =>
  Type.Unsafe(Type.Integer({ minimum, description }));

/** See core/revision.ts. */
export const revision = whole(1, 'One more with every change of what is set; also the `ETag`');

const dateTime = text({ format: 'date-time' });

export const time = described(dateTime, { description: 'ISO 8601 UTC', examples: ['2026-11-20T09:30:00.000Z'] });

export const timeOrNull = nullable(dateTime);

/** A bound of a search, as people type it; read by `instant` (input.ts), which says what is wrong with it. */
export const bound = text({
  maxLength: 40,
  description: 'ISO 8601 date or date-time',
  examples: ['2026-11-20T00:00:00Z'],
});

export const textOrNull = nullable(text());

export const count: SchemaOf<number> = Type.Unsafe(Type.Integer({ minimum: 0 }));

/** How much of a whole is done. */
export const share: SchemaOf<number> = Type.Unsafe(Type.Number({ minimum: 0, maximum: 1 }));

export const milliseconds: SchemaOf<number> = Type.Unsafe(
  Type.Number({ minimum: 0, description: 'How long it took, milliseconds' }),
);

export const eventType = oneOf(EVENT_TYPES);

export const anyObject: SchemaOf<Record<string, unknown>> = Type.Unsafe({ type: 'object', additionalProperties: true });

export const texts = (more: { description?: string; writeOnly?: boolean } = {}): SchemaOf<Record<string, string>> =>
  Type.Unsafe(Type.Record(Type.String(), Type.String(), more));

/** The words of an event that lists show. */
export const eventWords = {
  messageId: text(),
  sourceId: id,
  type: eventType,
  event: nullable(text("Name of a track call's event, or of a page or screen")),
  userId: textOrNull,
  receivedAt: time,
};
