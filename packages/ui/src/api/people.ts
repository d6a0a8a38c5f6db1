import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  FoundPeople,
  FoundPerson,
  NewIdentity,
  Page,
  PeopleStatus,
  Person,
  PersonEvent,
} from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { live } from './live.ts';
import { change, paged } from './query.ts';

const PEOPLE = ['people'];

const identitiesOf = (id: string): string => `/api/people/${encodeURIComponent(id)}/identities`;

interface IdentityChange extends NewIdentity {
  /** Any id of the person. */
  readonly of: string;
}

export const peopleApi = {
  /** Persons one of whose ids, or names, begins with a text, without one some of all; or those whose trait has a value. */
  search: (query: { readonly prefix: string } | { readonly trait: string; readonly value: string }) => ({
    ...paged<FoundPerson, FoundPeople>([...PEOPLE, 'search'], '/api/people', { ...query, limit: 50 }),
    placeholderData: keepPreviousData,
  }),
  /** The events of a person from a place on. */
  events: (id: string, cursor: string | undefined) =>
    queryOptions({
      queryKey: [...PEOPLE, 'one', id, 'events', cursor],
      queryFn: ({ signal }) =>
        get<Page<PersonEvent>>(`/api/people/${encodeURIComponent(id)}/events`, { cursor }, signal),
      enabled: cursor !== undefined,
      placeholderData: keepPreviousData,
    }),
  /** By any of their ids. */
  one: (id: string) =>
    queryOptions({
      queryKey: [...PEOPLE, 'one', id],
      queryFn: ({ signal }) => get<Person>(`/api/people/${encodeURIComponent(id)}`, {}, signal),
      ...live(`/api/people/${encodeURIComponent(id)}`),
    }),
  /** Takes an id out of the person who has another one. */
  takeOut: () =>
    change(
      ({ of, id }: Pick<IdentityChange, 'of' | 'id'>) =>
        call<void>('DELETE', `${identitiesOf(of)}/${encodeURIComponent(id)}`),
      PEOPLE,
    ),
  /** Sends an alias that joins another id's person to this one. */
  join: () => change(({ of, ...body }: IdentityChange) => call<void>('POST', identitiesOf(of), { body }), PEOPLE),
  status: () =>
    queryOptions({
      queryKey: [...PEOPLE, 'status'],
      queryFn: ({ signal }) => get<PeopleStatus>('/api/profiles/status', {}, signal),
      ...live('/api/profiles/status'),
    }),
  /** Forgets all persons, and takes the log in again. */
  rebuild: () => change(() => call<PeopleStatus>('POST', '/api/profiles/rebuild'), PEOPLE),
};
