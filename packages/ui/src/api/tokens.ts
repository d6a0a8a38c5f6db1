import type { ApiToken, CreatedApiToken, NewApiToken } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, paged } from './query.ts';

/** API tokens for programs. */
export const tokensApi = {
  list: () => paged<ApiToken>('/api/tokens'),
  /** The answer holds the token itself. It is shown only once. */
  create: () => change((body: NewApiToken) => call<CreatedApiToken>('POST', '/api/tokens', { body })),
  revoke: () => change((id: string) => call<void>('DELETE', `/api/tokens/${id}`)),
};
