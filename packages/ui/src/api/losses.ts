import { queryOptions } from '@tanstack/react-query';
import type { Loss, Page } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change } from './query.ts';

const LOSSES = ['losses'];

export const lossesApi = {
  /** They are found at a start: what a page has read stays true for long. */
  list: () =>
    queryOptions({
      queryKey: LOSSES,
      queryFn: ({ signal }) => get<Page<Loss>>('/api/losses', {}, signal),
      staleTime: 60_000,
    }),
  note: () => change((id: string) => call<void>('POST', `/api/losses/${encodeURIComponent(id)}/note`), LOSSES),
};
