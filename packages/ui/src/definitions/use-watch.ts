import { useIsMutating } from '@tanstack/react-query';
import { LIVE } from '../api/query.ts';

/** How often what is open is asked for again: not any more while it is being deleted, since then it would be missed. */
export function useWatch(place: 'audiences' | 'traits'): number | false {
  return useIsMutating({ mutationKey: [place, 'remove'] }) > 0 ? false : LIVE;
}
