import type { CallType } from '../calls.ts';
import { uuid } from '../uuid.ts';
import type { Fields } from './arguments.ts';
import { contextOf, type PageContext } from './page-context.ts';
import type { User } from './user.ts';

/** A complete call, with the fields that middleware of analytics.js expects. */
export interface Event {
  readonly type: CallType;
  readonly properties?: Fields;
  readonly [field: string]: unknown;
}

/** `options`: what the page passed with the call. Options that are not fields of a call become part of its context. */
export function eventOf(type: CallType, own: Fields, options: Fields, user: User, page: PageContext): Event {
  const { context, integrations, timestamp, messageId, anonymousId, userId, ...circumstances } = options;
  if (anonymousId) user.anonymousId(anonymousId as string);
  const { name, category, properties } = own as { readonly [field: string]: string } & Pick<Event, 'properties'>;
  const said: Fields = { ...page, ...properties, ...(category && { category }), ...(name && { name }) };
  const isPage = type === 'page';
  // A property that the page passes replaces the value in the context too.
  const seen = isPage ? Object.fromEntries(Object.keys(page).map((key) => [key, said[key]])) : page;
  return {
    type,
    messageId: messageId ?? uuid(),
    // The client takes only Dates and ISO 8601 texts: milliseconds and other texts become a Date.
    timestamp: /^\d{4}-/.test(timestamp as string) ? timestamp : new Date((timestamp as string) ?? Date.now()),
    integrations: { ...(integrations as object) },
    ...own,
    userId: own['userId'] ?? user.id() ?? userId,
    anonymousId: user.anonymousId(),
    ...(isPage && { properties: said }),
    context: contextOf(seen, { ...circumstances, ...(context as object) }),
  };
}
