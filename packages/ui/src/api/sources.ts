import type {
  KeyRotation,
  NewSource,
  RejectionGroup,
  Source,
  SourceChange,
  SourceTotals,
} from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, edit, LONGEST_PAGE, live, paged, watched, whole } from './query.ts';

const pathOf = (id: string): string => `/api/sources/${id}`;

export const sourcesApi = {
  list: () => whole<Source>('/api/sources'),
  one: (id: string) => watched<Source>(pathOf(id)),
  totals: (id: string) => watched<SourceTotals>(`${pathOf(id)}/totals`),
  /** Refused calls, grouped by their reason and other common fields, of one source or of all. Kept up to date. */
  rejections: (sourceId: string | undefined) =>
    live(paged<RejectionGroup>('/api/rejections', { sourceId, limit: LONGEST_PAGE })),
  create: () => change((body: NewSource) => call<Source>('POST', '/api/sources', { body })),
  update: () => edit<SourceChange, Source>('PATCH', pathOf),
  remove: () => edit<object, void>('DELETE', pathOf),
  rotateKey: () => edit<KeyRotation, Source>('POST', (id) => `${pathOf(id)}/rotate-key`),
  /** Ends the time in which the old key and the new one are both valid. */
  dropOldKey: () => edit<object, void>('DELETE', (id) => `${pathOf(id)}/old-key`),
};
