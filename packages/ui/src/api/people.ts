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

const pathOf = (id: string): string => `/api/people/${encodeURIComponent(id)}`;
const identitiesOf = (id: string): string => `${pathOf(id)}/identities`;

interface IdentityChange extends NewIdentity {
  /** Any id of the person. */
  readonly of: string;
}

export const peopleApi = {
  /** Persons whose id or name begins with a text (an empty text finds some of all persons), or persons with a value of a trait. */
  search: (query: { readonly prefix: string } | { readonly trait: string; readonly value: string }) => ({
    ...paged<FoundPerson, FoundPeople>('/api/people', { ...query, limit: 50 }),
    placeholderData: keepPreviousData,
  }),
  /** The events of a person after a cursor. */
  events: (id: string, cursor: string | undefined) => ({
    ...asked<Page<PersonEvent>>(`${pathOf(id)}/events`, { cursor }),
    enabled: cursor !== undefined,
    placeholderData: keepPreviousData,
  }),
  /** A person, by any of the person's ids. */
  one: (id: string) => watched<Person>(pathOf(id)),
  /** Removes an id from a person who has another one. */
  takeOut: () =>
    change(({ of, id }: Pick<IdentityChange, 'of' | 'id'>) =>
      call<void>('DELETE', `${identitiesOf(of)}/${encodeURIComponent(id)}`),
    ),
  /** Sends an alias call that joins the person of another id to this person. */
  join: () => change(({ of, ...body }: IdentityChange) => call<void>('POST', identitiesOf(of), { body })),
  status: () => watched<PeopleStatus>('/api/profiles/status'),
  /** Deletes all persons and builds them again from the log. */
  rebuild: () => change(() => call<PeopleStatus>('POST', '/api/profiles/rebuild')),
};
