import { keepPreviousData } from '@tanstack/react-query';
import type {
  FoundPeople,
  FoundPerson,
  NewIdentity,
  Page,
  PeopleStatus,
  Person,
  PersonEvent,
} from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { asked, change, paged, watched } from './query.ts';

const PEOPLE = ['people'];
const PROFILES = ['profiles'];

const pathOf = (id: string): string => `/api/people/${encodeURIComponent(id)}`;
const identitiesOf = (id: string): string => `${pathOf(id)}/identities`;

interface IdentityChange extends NewIdentity {
  /** Any id of the person. */
  readonly of: string;
}

export const peopleApi = {
  /** Persons one of whose ids, or names, begins with a text, without one some of all; or those whose trait has a value. */
  search: (query: { readonly prefix: string } | { readonly trait: string; readonly value: string }) => ({
    ...paged<FoundPerson, FoundPeople>('/api/people', { ...query, limit: 50 }),
    placeholderData: keepPreviousData,
  }),
  /** The events of a person from a place on. */
  events: (id: string, cursor: string | undefined) => ({
    ...asked<Page<PersonEvent>>(`${pathOf(id)}/events`, { cursor }),
    enabled: cursor !== undefined,
    placeholderData: keepPreviousData,
  }),
  /** By any of their ids. */
  one: (id: string) => watched<Person>(pathOf(id)),
  /** Takes an id out of the person who has another one. */
  takeOut: () =>
    change(
      ({ of, id }: Pick<IdentityChange, 'of' | 'id'>) =>
        call<void>('DELETE', `${identitiesOf(of)}/${encodeURIComponent(id)}`),
      PEOPLE,
      PROFILES,
    ),
  /** Sends an alias that joins another id's person to this one. */
  join: () =>
    change(({ of, ...body }: IdentityChange) => call<void>('POST', identitiesOf(of), { body }), PEOPLE, PROFILES),
  status: () => watched<PeopleStatus>('/api/profiles/status'),
  /** Forgets all persons, and takes the log in again. */
  rebuild: () => change(() => call<PeopleStatus>('POST', '/api/profiles/rebuild'), PEOPLE, PROFILES),
};
