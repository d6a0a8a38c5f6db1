import type { Suggestible } from '../../people/suggestions.ts';
import type { AdminDeps } from '../deps.ts';
import { Suggestions, type SuggestionsQuery, suggestionsQuery } from '../schemas/audience.ts';
import { ref } from '../schemas/shape.ts';
import { type AdminApp, refusals, routesOf } from './route.ts';

/** What the fields of an audience or a computed trait may be filled with. As any GET that speaks of persons, for viewers. */
export function suggestionRoute(app: AdminApp, { people, clock }: AdminDeps): void {
  const routes = routesOf(app, 'Audiences');
  routes.get('/suggestions', {
    operationId: 'suggest',
    summary: 'Names and values that calls had lately, and how often: for the fields of definitions',
    description:
      'Names of events, each with its events of the last 7 days, by when they happened. Else names, or the values of the one ' +
      'that `name` names: of properties in the newest 1,000 events, of traits in the newest persons or groups, 10,000 ' +
      'traits at most. Of values, texts of at most 200 characters, numbers, true and false.',
    querystring: suggestionsQuery,
    response: { 200: ref(Suggestions), ...refusals(503) },
    handler: async ({ query }) => {
      const { items, counted, of } = await people.queries.suggest(suggestibleOf(query), clock.now());
      return { items: [...items], counted, of };
    },
  });
}

function suggestibleOf({ of, type = 'track', event, name, text = '' }: SuggestionsQuery): Suggestible {
  if (of === 'event') return { of, type, text };
  return of === 'property' ? { of, type, event: event ?? null, name: name ?? null } : { of, name: name ?? null };
}
