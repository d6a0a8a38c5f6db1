import Type from 'typebox';
import { EVENT_TYPES, type EventType } from '../../core/event.ts';
import { NOT_BLANK } from './pattern.ts';
import type { SchemaOf } from './shape.ts';
import { nullable } from './shape.ts';

/** Fields that several resources have. */

export const id: SchemaOf<string> = Type.Unsafe<string>(Type.String({ minLength: 1, maxLength: 64 }));

export const name: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ minLength: 1, maxLength: 200, pattern: NOT_BLANK, description: 'Not blank, at most 200 characters' }),
);

/** See core/revision.ts. */
export const revision: SchemaOf<number> = Type.Unsafe<number>(
  Type.Integer({ minimum: 1, description: 'One more with every change of what is set; also the `ETag`' }),
);

export const time: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ format: 'date-time', description: 'ISO 8601 UTC', examples: ['2026-11-20T09:30:00.000Z'] }),
);

export const timeOrNull: SchemaOf<string | null> = nullable(Type.String({ format: 'date-time' }));

/** A bound of a search, as people type it; read by `instant` (input.ts), which says what is wrong with it. */
export const bound: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ maxLength: 40, description: 'ISO 8601 date or date-time', examples: ['2026-11-20T00:00:00Z'] }),
);

export const textOrNull: SchemaOf<string | null> = nullable(Type.String());

export const count: SchemaOf<number> = Type.Unsafe<number>(Type.Integer({ minimum: 0 }));

export const eventType: SchemaOf<EventType> = Type.Unsafe<EventType>(Type.Enum([...EVENT_TYPES], { type: 'string' }));

export const anyObject: SchemaOf<Record<string, unknown>> = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
});
