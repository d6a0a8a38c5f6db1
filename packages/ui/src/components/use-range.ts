import { useSearch } from '@tanstack/react-router';
import { type Range, shownRange } from '../format/range.ts';

/** The time that the page shows, by its address. */
export function useRange(): Range {
  return shownRange(useSearch({ strict: false }));
}
