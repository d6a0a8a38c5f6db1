import type { Loss, Page } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { asked, change } from './query.ts';

export const lossesApi = {
  /** The service finds losses when it starts, so an answer stays valid for long. */
  list: () => ({ ...asked<Page<Loss>>('/api/losses'), staleTime: 60_000 }),
  note: () => change((id: string) => call<void>('POST', `/api/losses/${encodeURIComponent(id)}/note`)),
};
