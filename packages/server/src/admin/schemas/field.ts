import Type from 'typebox';
import { EVENT_TYPES } from '../../core/event.ts';
import { described, nullable, oneOf, type SchemaOf, text } from './shape.ts';

/** Patterns of texts, each with the message for other texts. The message follows the field's path. */
const NOT_BLANK = '[^\\s\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]';
export const ONE_LINE = '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u001f\\u007f\\s][^\\u0000-\\u001f\\u007f]*$';
export const E_MAIL = '^[^\\s@]+@[^\\s@]+$';
export const FAILURE = '^([1-5][0-9]{2}|[1-5]xx|[a-z][a-z_]*)$';
export const WRITE_KEY = '^[A-Za-z0-9_-]{16,64}$';

export const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [NOT_BLANK]: 'must not be blank',
  [ONE_LINE]: 'must not be blank, and must have no control characters',
  [E_MAIL]: 'must be an e-mail address',
  [FAILURE]: 'must be a status (503), a class of them (5xx) or the code of an error (timeout)',
  [WRITE_KEY]: 'must be 16 to 64 letters (a to z, A to Z), digits, _ or -',
};

/** Fields that several resources use. */

export const id = text({ minLength: 1, maxLength: 64 });

export const name = text({
  minLength: 1,
  maxLength: 200,
  pattern: NOT_BLANK,
  description: 'Not blank, at most 200 characters; spaces at its ends are left out',
});

export const whole = (minimum: number, description: string): SchemaOf<number> =>
  Type.Unsafe(Type.Integer({ minimum, description }));

/** See core/revision.ts. */
export const revision = whole(1, 'Higher after every change of what is set; also the `ETag`');

const dateTime = text({ format: 'date-time' });

export const time = described(dateTime, { description: 'ISO 8601 UTC', examples: ['2026-11-20T09:30:00.000Z'] });

export const timeOrNull = nullable(dateTime);

/** A bound of a search as people type it. `instant` (input.ts) parses it and reports errors. */
export const bound = text({
  maxLength: 40,
  description: 'ISO 8601 date or date-time',
  examples: ['2026-11-20T00:00:00Z'],
});

export const textOrNull = nullable(text());

export const count: SchemaOf<number> = Type.Unsafe(Type.Integer({ minimum: 0 }));

/** The done share of a whole. */
export const share: SchemaOf<number> = Type.Unsafe(Type.Number({ minimum: 0, maximum: 1 }));

export const milliseconds: SchemaOf<number> = Type.Unsafe(
  Type.Number({ minimum: 0, description: 'How long it took, milliseconds' }),
);

export const eventType = oneOf(EVENT_TYPES);

export const anyObject: SchemaOf<Record<string, unknown>> = Type.Unsafe({ type: 'object', additionalProperties: true });

export const texts = (more: { description?: string; writeOnly?: boolean } = {}): SchemaOf<Record<string, string>> =>
  Type.Unsafe(Type.Record(Type.String(), Type.String(), more));

export const position = whole(0, 'Where the event stands in the log: no other event has the same');

/** The fields of an event that lists show. */
export const eventWords = {
  position,
  messageId: text(),
  sourceId: id,
  type: eventType,
  event: nullable(text("Name of a track call's event, or of a page or screen")),
  userId: textOrNull,
  receivedAt: time,
};
