import { queryOptions } from '@tanstack/react-query';
import type { Incident, Page, Snooze } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, live, paged, watched, whole } from './query.ts';

const PATH = '/api/incidents';
const ENDED = { state: 'ended' };
const OPEN = { state: 'open', limit: 500 };

export const incidentsApi = {
  open: () => live(whole<Incident>(PATH, OPEN)),
  /** The same list without a request: it stays empty until the live stream brings it. */
  brought: () =>
    queryOptions<Page<Incident>>({
      ...watched<Page<Incident>>(PATH, OPEN),
      queryKey: ['incidents', 'brought'],
      initialData: { items: [], next: null },
      staleTime: Number.POSITIVE_INFINITY,
    }),
  /** Newest first. */
  ended: () => live(paged<Incident>(PATH, ENDED)),
  one: (id: string) => watched<Incident>(`${PATH}/${encodeURIComponent(id)}`),
  snooze: (id: string) =>
    change((body: Snooze) => call<Incident>('POST', `${PATH}/${encodeURIComponent(id)}/snooze`, { body })),
};
