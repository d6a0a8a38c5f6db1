import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Suggestions } from '../../../server/src/admin/contract.ts';
import { type SuggestionsQuery, suggestionsApi } from '../api/suggestions.ts';
import { count } from '../format/number.ts';

export type SuggestedValue = Suggestions['items'][number]['value'];

/** Suggested values, with a heading that says where they were counted. */
export interface Suggested {
  /** `In the newest 1,000 events` */
  readonly heading: string;
  readonly items: readonly { readonly value: SuggestedValue; readonly often: string }[];
}

/** Most values in one answer. A full answer may not be all: typing a text finds others. */
const FULL = 200;
/** Milliseconds without typing before a text is searched. */
const PAUSE = 200;
/** Most characters of a text that is searched. */
const LONGEST = 200;
/** Most events that the service counts for one name. */
const MOST_COUNTED = 10_000;

/**
 * Suggestions for a field.
 *
 * @param query null: no suggestions are needed.
 * @param text the typed text: searched in all event names, if not all of them are loaded.
 */
export function useSuggested(query: SuggestionsQuery | null, text: string): Suggested | null {
  const { data: first } = useQuery(suggestionsApi.of(query));
  const [paused] = useDebouncedValue(text.slice(0, LONGEST), PAUSE);
  const isMore = query?.of === 'event' && first?.items.length === FULL && paused !== '';
  const { data: found } = useQuery({
    ...suggestionsApi.of(isMore ? { ...query, text: paused } : null),
    placeholderData: keepPreviousData,
  });
  const known = (isMore && found) || first;
  return known && query
    ? { heading: headingOf(known, query), items: known.items.map((item) => often(item, known)) }
    : null;
}

function headingOf({ of, counted }: Suggestions, query: SuggestionsQuery): string {
  if (of === null) return 'By how often in the last 7 days';
  if (query.of === 'property') return `In the newest ${count(of)} of these events`;
  return query.of === 'trait'
    ? `In the newest ${count(of)} persons with traits`
    : `In the newest ${count(of)} ${counted}`;
}

function often({ value, count: times }: Suggestions['items'][number], { of }: Suggestions): Suggested['items'][number] {
  if (of !== null) return { value, often: `${count(times)} of ${count(of)}` };
  if (times === 0) return { value, often: 'none in 7 days' };
  return { value, often: `${count(times)}${times === MOST_COUNTED ? ' or more' : ''} in 7 days` };
}
