import { queryOptions } from '@tanstack/react-query';
import type { Incident, Page, Snooze } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { live } from './live.ts';
import { change, listed, paged, watched } from './query.ts';

const PATH = '/api/incidents';
const ENDED = { state: 'ended' };
const OPEN = { state: 'open', limit: 500 };

export const incidentsApi = {
  open: () => ({ ...listed<Incident>(PATH, OPEN), ...live(PATH, OPEN) }),
  /** The same list without a request: it stays empty until the live stream brings it. */
  brought: () =>
    queryOptions<Page<Incident>>({
      queryKey: ['incidents', 'brought'],
      queryFn: ({ signal }) => get<Page<Incident>>(PATH, OPEN, signal),
      initialData: { items: [], next: null },
      staleTime: Number.POSITIVE_INFINITY,
      ...live(PATH, OPEN),
    }),
  /** Newest first. */
  ended: () => ({ ...paged<Incident>(PATH, ENDED), ...live(PATH, ENDED) }),
  one: (id: string) => watched<Incident>(`${PATH}/${encodeURIComponent(id)}`),
  snooze: (id: string) =>
    change((body: Snooze) => call<Incident>('POST', `${PATH}/${encodeURIComponent(id)}/snooze`, { body })),
};
