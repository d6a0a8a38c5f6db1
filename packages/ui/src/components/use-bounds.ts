import { useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { openBoundsOf, type RangeSearch, rangeFrom } from '../format/range.ts';

/**
 * The time that the filters of a list say, as the API takes it. It is told by when they were chosen, which is when `key` became another:
 * "the last hour" stays the same hour, so that the pages of the list fit together.
 */
export function useBounds(search: RangeSearch, key: string): { readonly from?: string; readonly to?: string } {
  const [chosen, setChosen] = useState(() => ({ key, at: serviceNow() }));
  const range = rangeFrom(search);
  const at = chosen.key === key ? chosen.at : serviceNow();
  if (chosen.key !== key) setChosen({ key, at });
  return range === null ? {} : openBoundsOf(range, at);
}
