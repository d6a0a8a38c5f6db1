import { queryOptions } from '@tanstack/react-query';
import type { PeopleStatus, Person, PersonName } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change, LIVE } from './query.ts';

const PEOPLE = ['people'];

export const peopleApi = {
  /** Persons one of whose ids begins with the text; without a text some of all. */
  search: (prefix: string, limit = 50) =>
    queryOptions({
      queryKey: [...PEOPLE, 'search', prefix, limit],
      queryFn: async ({ signal }) =>
        (await get<{ items: PersonName[] }>('/api/people', { prefix, limit }, signal)).items,
    }),
  /** By any of their ids. */
  one: (id: string) =>
    queryOptions({
      queryKey: [...PEOPLE, 'one', id],
      queryFn: ({ signal }) => get<Person>(`/api/people/${encodeURIComponent(id)}`, {}, signal),
      refetchInterval: LIVE,
    }),
  status: () =>
    queryOptions({
      queryKey: [...PEOPLE, 'status'],
      queryFn: ({ signal }) => get<PeopleStatus>('/api/profiles/status', {}, signal),
      refetchInterval: LIVE,
    }),
  /** Forgets all persons, and takes the log in again. */
  rebuild: () => change(() => call<PeopleStatus>('POST', '/api/profiles/rebuild'), PEOPLE),
};
