import type { Loss, Page } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { asked, change } from './query.ts';

const LOSSES = ['losses'];

export const lossesApi = {
  /** They are found at a start: what a page has read stays true for long. */
  list: () => ({ ...asked<Page<Loss>>('/api/losses'), staleTime: 60_000 }),
  note: () => change((id: string) => call<void>('POST', `/api/losses/${encodeURIComponent(id)}/note`), LOSSES),
};
