import type { Suggestions } from '../../../server/src/admin/contract.ts';
import { asked } from './query.ts';

/** What to suggest: names; or with `name`, the values of a property or trait. */
export type SuggestionsQuery =
  | { readonly of: 'event'; readonly type: EventKind; readonly text?: string }
  | { readonly of: 'property'; readonly type: EventKind; readonly event?: string; readonly name?: string }
  | { readonly of: 'trait' | 'groupTrait'; readonly name?: string };

export type EventKind = 'track' | 'page' | 'screen';

export const suggestionsApi = {
  /** Names or values that recent calls carried, and how often. Null: sends no request. */
  of: (query: SuggestionsQuery | null) => ({
    ...asked<Suggestions>('/api/suggestions', { ...query }),
    enabled: query !== null,
    staleTime: 60_000,
  }),
};
