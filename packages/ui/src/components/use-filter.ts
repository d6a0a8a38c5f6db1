import { useMemo } from 'react';
import { serviceNow } from '../api/service-clock.ts';

/**
 * The filter of a list as the API takes it, made anew where `key` is another: "the last hour" begins when it was chosen, so that the
 * pages of the list fit together.
 */
export function useFilter<Filter>(key: string, filterOf: (now: number) => Filter): Filter {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all of it
  return useMemo(() => filterOf(serviceNow()), [key]);
}
