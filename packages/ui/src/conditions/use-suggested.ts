import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { Suggestions } from '../../../server/src/admin/contract.ts';
import { type SuggestionsQuery, suggestionsApi } from '../api/suggestions.ts';
import { count } from '../format/number.ts';

export type SuggestedValue = Suggestions['items'][number]['value'];

/** Values to choose among, under what they were counted in. */
export interface Suggested {
  /** `In the newest 1,000 events` */
  readonly heading: string;
  readonly items: readonly { readonly value: SuggestedValue; readonly often: string }[];
}

/** As many as an answer has at most: there may be more, which a text finds. */
const FULL = 200;
/** Before a text is looked for, milliseconds. */
const PAUSE = 200;
/** Characters of a text that is looked for. */
const LONGEST = 200;
/** Of a name, so many events are counted. */
const MOST_COUNTED = 10_000;

/**
 * What was seen in the place of a field.
 *
 * @param query null while nothing is wanted.
 * @param text what is typed there: looked for among all names of events where not all are known.
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
