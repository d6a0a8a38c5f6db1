import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type {
  Audience,
  AudiencePreview,
  ComputedTrait,
  ComputedTraitPreview,
  ListedMember,
  Members,
  SizePoint,
  Why,
} from '../../../server/src/admin/contract.ts';
import { call, get, withQuery } from './client.ts';
import { change, edit, live, ofLog, paged, watched, whole } from './query.ts';
import { serviceNow } from './service-clock.ts';

/** Milliseconds between two requests for a chart of hours. */
const SLOWLY = 60_000;

const DAY = 24 * 60 * 60 * 1000;

/** A definition that is being edited. The service checks its content. */
export interface ToPreview {
  readonly definition: unknown;
  readonly name: string;
}

export interface NewDefinition extends ToPreview {
  /** When absent, the service makes the key from the name. */
  readonly key?: string;
  readonly destinationIds: readonly string[];
}

export type Defined = Audience | ComputedTrait;

export type DefinitionsApi<Preview> = ReturnType<typeof definitionsApi<Preview>>;

/** The API of audiences and the API of computed traits. They differ only in what they define. */
function definitionsApi<Preview>(place: 'audiences' | 'traits') {
  const path = `/api/${place}`;
  const pathOf = (id: string): string => `${path}/${id}`;
  return {
    list: () => live(paged<Defined>(path)),
    one: (id: string) => watched<Defined>(pathOf(id)),
    /** Members of an audience, or persons who have the trait. `prefix`: the beginning of one of their ids or names. */
    members: (id: string, prefix: string) => ({
      ...ofLog(paged<ListedMember, Members>(`${path}/${id}/members`, { prefix, limit: 50 })),
      placeholderData: keepPreviousData,
    }),
    /** The address of a file with all members. */
    memberFile: (id: string, format: 'csv' | 'ndjson') => withQuery(`${path}/${id}/members/export`, { format }),
    /** The sizes at full hours of the last `days` days, oldest first. */
    sizes: (id: string, days: number) =>
      queryOptions({
        queryKey: [place, id, 'sizes', days],
        queryFn: async ({ signal }) => {
          const from = new Date(serviceNow() - days * DAY).toISOString();
          return (await get<{ items: SizePoint[] }>(`${path}/${id}/sizes`, { from }, signal)).items;
        },
        refetchInterval: SLOWLY,
        placeholderData: keepPreviousData,
      }),
    /** What an unsaved definition would give. Changes nothing. */
    preview: (body: ToPreview, signal: AbortSignal) => call<Preview>('POST', `${path}/preview`, { body, signal }),
    create: () => change((body: NewDefinition) => call<Defined>('POST', path, { body })),
    update: () => edit<object, Defined>('PATCH', pathOf),
    remove: () => edit<object, void>('DELETE', pathOf),
    /** Sends an identify call for every person again. */
    sync: () => change((id: string) => call<unknown>('POST', `${path}/${id}/sync`)),
  };
}

export const audiencesApi = {
  ...definitionsApi<AudiencePreview>('audiences'),
  /** All audiences, for their names. */
  names: () => whole<Audience>('/api/audiences'),
  /** Why a person is in or out; 404 for an id that no call carried. */
  why: (id: string, person: string) => ({ ...watched<Why>(`/api/audiences/${id}/why`, { person }), retry: false }),
};

export const traitsApi = definitionsApi<ComputedTraitPreview>('traits');
