import type {
  KeyRotation,
  NewSource,
  RejectionGroup,
  Source,
  SourceChange,
  SourceTotals,
} from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { live } from './live.ts';
import { ANY_QUERY, change, type Edited, listed, watched, whole } from './query.ts';

const SOURCES = ['sources'];
const OVERVIEW = ['overview'];

export const sourcesApi = {
  list: () => whole<Source>('/api/sources'),
  one: (id: string) => watched<Source>(`/api/sources/${id}`),
  totals: (id: string) => watched<SourceTotals>(`/api/sources/${id}/totals`),
  /** Refused calls by what is alike, of one source or all, live. */
  rejections: (sourceId: string | undefined) => ({
    ...listed<RejectionGroup>('/api/rejections', { sourceId }),
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
  /** What is known of the deleted one is not asked for again: it would be missed. */
  remove: () =>
    change(
      ({ id, revision }: Edited<object>) => call<void>('DELETE', `/api/sources/${id}`, { revision }),
      [...SOURCES, ANY_QUERY],
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
