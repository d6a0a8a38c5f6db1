import Type from 'typebox';
import type { Page } from '../contract.ts';
import type { SchemaOf } from './shape.ts';
import { nullable, ref } from './shape.ts';

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

export interface PageQuery {
  cursor?: string;
  limit?: number;
}

export const cursor: SchemaOf<string> = Type.Unsafe<string>(
  Type.String({ maxLength: 1024, description: '`next` of the page before' }),
);

export const limit: SchemaOf<number> = Type.Unsafe<number>(
  Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, description: 'Most items on the page' }),
);

export const pageQuery: SchemaOf<PageQuery> = Type.Unsafe<PageQuery>(
  Type.Object({ cursor: Type.Optional(cursor), limit: Type.Optional(limit) }, { additionalProperties: false }),
);

export const next: SchemaOf<string | null> = nullable(
  Type.String({ description: 'Give it as `cursor` to get the next page; null on the last one' }),
);

export function pageOf<T>(item: SchemaOf<T>): SchemaOf<Page<T>> {
  return Type.Unsafe<Page<T>>(
    Type.Object({
      items: Type.Array(ref(item)),
      next,
    }),
  );
}
