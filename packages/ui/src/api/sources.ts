import { queryOptions } from '@tanstack/react-query';
import type {
  KeyRotation,
  NewSource,
  Page,
  RejectionGroup,
  Source,
  SourceChange,
  SourceTotals,
} from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { live } from './live.ts';
import { change, type Edited } from './query.ts';

const SOURCES = ['sources'];
const OVERVIEW = ['overview'];

export const sourcesApi = {
  /** All of them: an installation has a few. */
  list: () =>
    queryOptions({
      queryKey: [...SOURCES, 'list'],
      queryFn: async ({ signal }) => (await get<Page<Source>>('/api/sources', { limit: 500 }, signal)).items,
    }),
  one: (id: string) =>
    queryOptions({
      queryKey: [...SOURCES, id],
      queryFn: ({ signal }) => get<Source>(`/api/sources/${id}`, {}, signal),
    }),
  totals: (id: string) =>
    queryOptions({
      queryKey: [...SOURCES, id, 'totals'],
      queryFn: ({ signal }) => get<SourceTotals>(`/api/sources/${id}/totals`, {}, signal),
      ...live(`/api/sources/${id}/totals`),
    }),
  /** Refused calls by what is alike, of one source or all, live. */
  rejections: (sourceId: string | undefined) =>
    queryOptions({
      queryKey: [...SOURCES, 'rejections', sourceId ?? null],
      queryFn: async ({ signal }) => (await get<Page<RejectionGroup>>('/api/rejections', { sourceId }, signal)).items,
      ...live('/api/rejections', { sourceId }),
    }),
  create: () => change((body: NewSource) => call<Source>('POST', '/api/sources', { body }), SOURCES, OVERVIEW),
  update: () =>
    change(
      ({ id, revision, ...body }: Edited<SourceChange>) =>
        call<Source>('PATCH', `/api/sources/${id}`, { body, revision }),
      SOURCES,
      OVERVIEW,
    ),
  remove: () =>
    change(
      ({ id, revision }: Edited<object>) => call<void>('DELETE', `/api/sources/${id}`, { revision }),
      SOURCES,
      ['destinations'],
      OVERVIEW,
    ),
  rotateKey: () =>
    change(
      ({ id, revision, ...body }: Edited<KeyRotation>) =>
        call<Source>('POST', `/api/sources/${id}/rotate-key`, { body, revision }),
      SOURCES,
    ),
  /** Ends the overlap of a rotation. */
  dropOldKey: () =>
    change(
      ({ id, revision }: Edited<object>) => call<void>('DELETE', `/api/sources/${id}/old-key`, { revision }),
      SOURCES,
    ),
};
