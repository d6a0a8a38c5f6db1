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
import { live } from './live.ts';
import { ANY_QUERY, change, edit, paged, watched, whole } from './query.ts';
import { serviceNow } from './service-clock.ts';

/** How often a chart of hours is asked for again, milliseconds. */
const SLOWLY = 60_000;

const DAY = 24 * 60 * 60 * 1000;

/** A definition that is edited; what it may say is checked by the service. */
export interface ToPreview {
  readonly definition: unknown;
  readonly name: string;
}

export interface NewDefinition extends ToPreview {
  /** Made of the name when absent. */
  readonly key?: string;
  readonly destinationIds: readonly string[];
}

export type Defined = Audience | ComputedTrait;

export type DefinitionsApi<Preview> = ReturnType<typeof definitionsApi<Preview>>;

/** The API of audiences and that of computed traits, which are the same but for what they define. */
function definitionsApi<Preview>(place: 'audiences' | 'traits') {
  const path = `/api/${place}`;
  const pathOf = (id: string): string => `${path}/${id}`;
  const key = [place];
  // Each has a source, and destinations know what they are connected to.
  const touched = [['sources'], ['destinations'], ['overview']] as const;
  return {
    list: () => ({ ...paged<Defined>(path), ...live(path) }),
    one: (id: string) => watched<Defined>(pathOf(id)),
    /** Members of an audience, persons with a value of a trait; those one of whose ids or names begins with a text. */
    members: (id: string, prefix: string) => ({
      ...paged<ListedMember, Members>(`${path}/${id}/members`, { prefix, limit: 50 }),
      placeholderData: keepPreviousData,
    }),
    /** Where all of them are as a file. */
    memberFile: (id: string, format: 'csv' | 'ndjson') => withQuery(`${path}/${id}/members/export`, { format }),
    /** Of the last days, at full hours, oldest first. */
    sizes: (id: string, days: number) =>
      queryOptions({
        queryKey: [...key, id, 'sizes', days],
        queryFn: async ({ signal }) => {
          const from = new Date(serviceNow() - days * DAY).toISOString();
          return (await get<{ items: SizePoint[] }>(`${path}/${id}/sizes`, { from }, signal)).items;
        },
        refetchInterval: SLOWLY,
        placeholderData: keepPreviousData,
      }),
    /** What a definition that is not saved yet would give. Only reads. */
    preview: (body: ToPreview, signal: AbortSignal) => call<Preview>('POST', `${path}/preview`, { body, signal }),
    create: () => change((body: NewDefinition) => call<Defined>('POST', path, { body }), key, ...touched),
    update: () => edit<object, Defined>('PATCH', pathOf, key, ...touched),
    /** What is known of the deleted one is not asked for again: it would be missed. */
    remove: () => edit<object, void>('DELETE', pathOf, [...key, ANY_QUERY], ...touched),
    /** Tells everybody again. */
    sync: () => change((id: string) => call<unknown>('POST', `${path}/${id}/sync`), key),
  };
}

export const audiencesApi = {
  ...definitionsApi<AudiencePreview>('audiences'),
  /** All of them, for their names. */
  names: () => whole<Audience>('/api/audiences'),
  /** Why a person is in or out; 404 for an id that no call has carried. */
  why: (id: string, person: string) => ({ ...watched<Why>(`/api/audiences/${id}/why`, { person }), retry: false }),
};

export const traitsApi = definitionsApi<ComputedTraitPreview>('traits');
