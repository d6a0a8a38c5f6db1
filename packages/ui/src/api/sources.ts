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
import { change, LIVE } from './query.ts';

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
      refetchInterval: LIVE,
    }),
  /** Refused calls by what is alike, of one source or all, live. */
  rejections: (sourceId: string | undefined) =>
    queryOptions({
      queryKey: [...SOURCES, 'rejections', sourceId ?? null],
      queryFn: async ({ signal }) => (await get<Page<RejectionGroup>>('/api/rejections', { sourceId }, signal)).items,
      refetchInterval: LIVE,
    }),
  create: () => change((body: NewSource) => call<Source>('POST', '/api/sources', { body }), SOURCES, OVERVIEW),
  update: () =>
    change(
      ({ id, ...body }: SourceChange & { id: string }) => call<Source>('PATCH', `/api/sources/${id}`, { body }),
      SOURCES,
      OVERVIEW,
    ),
  remove: () => change((id: string) => call<void>('DELETE', `/api/sources/${id}`), SOURCES, ['destinations'], OVERVIEW),
  rotateKey: () =>
    change(
      ({ id, ...body }: KeyRotation & { id: string }) =>
        call<Source>('POST', `/api/sources/${id}/rotate-key`, { body }),
      SOURCES,
    ),
  /** Ends the overlap of a rotation. */
  dropOldKey: () => change((id: string) => call<void>('DELETE', `/api/sources/${id}/old-key`), SOURCES),
};
