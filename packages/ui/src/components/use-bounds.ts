import { useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { openBoundsOf, type RangeSearch, rangeFrom } from '../format/range.ts';

/**
 * The time range of a list's filters, as the API takes it. It is computed once, when the filters (`key`) change: "the
 * last hour" stays the same hour, so that the pages of the list fit together.
 */
export function useBounds(search: RangeSearch, key: string): { readonly from?: string; readonly to?: string } {
  const [chosen, setChosen] = useState(() => ({ key, at: serviceNow() }));
  const range = rangeFrom(search);
  const at = chosen.key === key ? chosen.at : serviceNow();
  if (chosen.key !== key) setChosen({ key, at });
  return range === null ? {} : openBoundsOf(range, at);
}
