import Type from 'typebox';
import type * as contract from '../contract.ts';
import { count, eventType, textOrNull, timeOrNull } from './field.ts';
import { cursor, limit, type PageQuery } from './page.ts';
import { ONE_LINE } from './pattern.ts';
import type { SchemaOf } from './shape.ts';
import { named, nullable, ref } from './shape.ts';

const KINDS = ['destination', 'source', 'audience', 'trait', 'person', 'rejection', 'message'] as const;

export const SearchHit: SchemaOf<contract.SearchHit> = named<contract.SearchHit>()(
  'SearchHit',
  Type.Object({
    kind: Type.Enum([...KINDS], { type: 'string' }),
    id: Type.String({ description: "A message's messageId, one of a person's ids, else the id of what was found" }),
    name: textOrNull,
    sourceId: nullable(Type.String({ description: 'Of a message or a rejection' })),
    type: Type.Union([eventType, Type.Null()]),
    event: textOrNull,
    userId: textOrNull,
    receivedAt: timeOrNull,
    why: Type.String({
      description:
        'Where the text was found: `messageId`, `userId`, `anonymousId`, `event`, `payload`, `id`, `name`, `key`, `url`, ' +
        '`writeKey`, `address`, `userAgent`, `code`, `message`, or the name of a trait',
    }),
    excerpt: nullable(Type.String({ description: 'What stands there, or its part around the text' })),
  }),
);

export const SearchPage: SchemaOf<contract.SearchPage> = named<contract.SearchPage>()(
  'SearchPage',
  Type.Object({
    items: Type.Array(ref(SearchHit)),
    next: nullable(
      Type.String({ description: 'Give it as `cursor` to look through older messages; null when all were' }),
    ),
    searchedTo: nullable(
      Type.String({
        format: 'date-time',
        description: 'All messages received after this were looked through; null when this page looked through none',
      }),
    ),
    searchedEvents: count,
  }),
);

export interface SearchQuery extends PageQuery {
  q: string;
}

export const searchQuery: SchemaOf<SearchQuery> = Type.Unsafe<SearchQuery>(
  Type.Object(
    {
      q: Type.String({ minLength: 1, maxLength: 200, pattern: ONE_LINE, description: 'What to look for' }),
      cursor: Type.Optional(cursor),
      limit: Type.Optional(limit),
    },
    { additionalProperties: false },
  ),
);
