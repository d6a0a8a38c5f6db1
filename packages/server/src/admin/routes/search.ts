import { includes } from '../../core/account.ts';
import { isoOrNull } from '../../core/instant.ts';
import { callerOf } from '../caller.ts';
import type { SearchHit } from '../contract.ts';
import { cursorParts, sealCursor } from '../cursor.ts';
import type { AdminDeps } from '../deps.ts';
import { DEFAULT_LIMIT } from '../schemas/page.ts';
import { SearchPage, searchQuery } from '../schemas/search.ts';
import { foundAtOnce, foundInSettings, messageHit } from '../search.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

const NOT_SEARCHED = { searchedTo: null, searchedEvents: 0 };

/** Mark of a cursor among the results of an index; the other cursors are among the messages (`` for the newest). */
const KNOWN = 'k';
const MESSAGES = 'm';

/** The place in a cursor. @throws InvalidInput for a cursor of another list. */
function placeOf(cursor: string | undefined): { readonly known: number | null; readonly message: string | null } {
  if (cursor === undefined) return { known: 0, message: null };
  const [known, message] = cursorParts(cursor, /^(?:k(\d{1,9})|m(|\d{1,16}(?::\d{1,16})?))$/);
  return { known: known === undefined ? null : Number(known), message: message || null };
}

/** One search over everything that the caller may see. */
export function searchRoute(app: AdminApp, deps: AdminDeps): void {
  const routes = routesOf(app, 'Search');
  routes.get('/search', {
    role: 'observer',
    operationId: 'search',
    summary: 'Look for a text in everything: settings, persons, refused calls, messages',
    description:
      'The first page begins with what an index knows: destinations, sources, audiences and computed traits by name, key, ' +
      'URL or the beginning of their id; settings of the process by variable or value; persons by the beginning of an id (case told apart), of `email`, `name`, `firstName`, `lastName`, ' +
      '`username` or `phone`; the last refused calls, and the last example of each of the 1,000 groups seen last; unknown write keys by their end, address and user agent; messages of ' +
      'exactly this messageId. Then messages are looked through, newest first, a bounded piece a page: a page may hold ' +
      'few items, or none, and still have a next one. ' +
      'Bodies are compared as they are stored, upper and lower case told apart; message ids, user ids and event names in ' +
      'any case. Digits alone are not looked for inside of times and UUIDs. `match=word` looks for messages that have the text as a word of its own. An observer finds settings only.',
    querystring: searchQuery,
    response: { 200: SearchPage, ...refusals() },
    handler: async (request) => {
      const { q, match, cursor, limit = DEFAULT_LIMIT } = request.query;
      const mayLook = includes(callerOf(request).role, 'viewer');
      const { known: place, message } = placeOf(cursor);
      const known: SearchHit[] = place === null ? [] : await foundInSettings(q, deps);
      if (place !== null && mayLook) known.push(...(await foundAtOnce(q, request, deps)));
      const items = known.slice(place ?? 0, (place ?? 0) + limit);
      const further = (place ?? 0) + items.length;
      if (further < known.length) return { items, next: sealCursor(`${KNOWN}${further}`), ...NOT_SEARCHED };
      if (!mayLook) return { items, next: null, ...NOT_SEARCHED };
      if (items.length === limit) return { items, next: sealCursor(MESSAGES), ...NOT_SEARCHED };
      const log = await deps.log.search({
        text: q,
        wordsOnly: match === 'word',
        cursor: message,
        limit: limit - items.length,
      });
      return {
        items: [...items, ...log.items.map(messageHit)],
        next: log.next === null ? null : sealCursor(`${MESSAGES}${log.next}`),
        searchedTo: isoOrNull(log.reachedAt),
        searchedEvents: log.events,
      };
    },
  });
}
