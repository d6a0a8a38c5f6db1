import Type from 'typebox';
import type { SchemaOf } from './shape.ts';

export interface WatchQuery {
  /** One, or several. */
  path: string | string[];
}

const path = Type.String({ minLength: 1, maxLength: 2_000 });

export const watchQuery: SchemaOf<WatchQuery> = Type.Unsafe<WatchQuery>(
  Type.Object(
    {
      path: Type.Union([path, Type.Array(path, { minItems: 1, maxItems: 16 })], {
        description: 'What is watched: `/api/overview`; given up to 16 times',
      }),
    },
    { additionalProperties: false },
  ),
);
