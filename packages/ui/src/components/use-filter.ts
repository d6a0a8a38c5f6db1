import { useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';

/**
 * The filter of a list as the API takes it. Its time is the one at which it was chosen, which is when `key` became another: "the last hour"
 * stays the same hour, so that the pages of the list fit together.
 */
export function useFilter<Filter>(key: string, filterOf: (now: number) => Filter): Filter {
  const [chosen, setChosen] = useState(() => ({ key, at: serviceNow() }));
  if (chosen.key === key) return filterOf(chosen.at);
  const at = serviceNow();
  setChosen({ key, at });
  return filterOf(at);
}
