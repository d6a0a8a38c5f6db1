import type { Static } from 'typebox';
import { eventType, ONE_LINE, position, textOrNull, timeOrNull, whole } from './field.ts';
import { paged } from './page.ts';
import { answer, closed, described, list, nullable, oneOf, optionals, text } from './shape.ts';

export type SearchKind = SearchHit['kind'];

export type SearchHit = Static<typeof SearchHit>;
export const SearchHit = answer(
  'SearchHit',
  {
    kind: oneOf(['destination', 'source', 'audience', 'trait', 'setting', 'person', 'rejection', 'message']),
    id: text(
      "A message's messageId, one of a person's ids, of a rejection its source's id, or its sender, and when it was, the variable of a setting, else the id of what was found",
    ),
    name: nullable(text('Of a destination, source, audience, trait or setting; of a rejection its code')),
    position: nullable(position, 'Of a message: where its event stands in the log'),
    sourceId: nullable(text('Of a message or a rejection')),
    type: nullable(eventType, 'Of a message'),
    event: textOrNull,
    userId: nullable(text('Of a message or a person')),
    receivedAt: described(timeOrNull, 'Of a message or a rejection'),
    why: text(
      'Where the text was found: `messageId`, `userId`, `anonymousId`, `event`, `payload`, `id`, `name`, `key`, `url`, `value`, ' +
        '`writeKey`, `address`, `userAgent`, `code`, `message`, or the name of a trait',
    ),
    excerpt: nullable(text('What stands there, or its part around the text')),
  },
  'What its kind does not have is null',
);

export type SearchPage = Static<typeof SearchPage>;
export const SearchPage = answer('SearchPage', {
  items: list(SearchHit),
  next: nullable(text('Give it as `cursor` to look through older messages; null when all were')),
  searchedTo: described(
    timeOrNull,
    'All messages received after this were looked through; null when this page looked through none',
  ),
  searchedEvents: whole(0, 'How many messages this page looked through'),
});

export const searchQuery = closed({
  q: text({ minLength: 1, maxLength: 200, pattern: ONE_LINE, description: 'What to look for' }),
  ...optionals({
    match: oneOf(['part', 'word'], {
      default: 'part',
      description: '`word`: messages have it as a word of its own, not only in a longer one: not `123` in `user-123`',
    }),
  }),
  ...paged,
});
