import { queryOptions } from '@tanstack/react-query';
import type { Audience, AudiencePreview, Page, Why } from '../../../server/src/admin/contract.ts';
import { get } from './client.ts';
import { definitionsApi } from './definitions.ts';
import { live } from './live.ts';

export const audiencesApi = {
  ...definitionsApi<Audience, AudiencePreview>('audiences'),
  /** All of them, for their names: an installation has a few. */
  names: () =>
    queryOptions({
      queryKey: ['audiences', 'names'],
      queryFn: async ({ signal }) => (await get<Page<Audience>>('/api/audiences', { limit: 500 }, signal)).items,
    }),
  /** Why a person is in or out; 404 for an id that no call has carried. */
  why: (id: string, person: string) =>
    queryOptions({
      queryKey: ['audiences', id, 'why', person],
      queryFn: ({ signal }) => get<Why>(`/api/audiences/${id}/why`, { person }, signal),
      ...live(`/api/audiences/${id}/why`, { person }),
      retry: false,
    }),
};
