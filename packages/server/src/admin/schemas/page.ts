import Type, { type Static } from 'typebox';
import { closed, list, nullable, object, optionals, type SchemaOf, text } from './shape.ts';

export const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;

/** The query parameters of a list, besides its filters. */
export const paged = optionals({
  cursor: text({ maxLength: 1024, description: '`next` of the page before' }),
  limit: Type.Integer({
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
    description: 'Most items on the page',
  }),
});

export const pageQuery = closed(paged);
export type PageQuery = Static<typeof pageQuery>;

export const next = nullable(text('Give it as `cursor` to get the next page; null on the last one'));

export interface Page<T> {
  items: readonly T[];
  next: string | null;
}

export function pageOf<T>(item: SchemaOf<T>): SchemaOf<Page<T>> {
  return object({ items: list(item), next });
}
