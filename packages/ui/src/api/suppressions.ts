import type { Suppression } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, paged } from './query.ts';

export const suppressionsApi = {
  /** Ordered by user id. `prefix`: the beginning of the user ids. */
  list: (filter: { readonly prefix?: string } = {}) => paged<Suppression>('/api/suppressions', { ...filter }),
  lift: () => change((userId: string) => call<void>('DELETE', `/api/suppressions/${encodeURIComponent(userId)}`)),
};
