import type { Account, AccountChange, CreatedInvite, Invite, NewInvite } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, paged } from './query.ts';

/** Accounts and open invites. */
export const accountsApi = {
  list: () => paged<Account>('/api/accounts'),
  update: () =>
    change(({ id, ...body }: AccountChange & { id: string }) =>
      call<Account>('PATCH', `/api/accounts/${id}`, { body }),
    ),
  remove: () => change((id: string) => call<void>('DELETE', `/api/accounts/${id}`)),
  invites: () => paged<Invite>('/api/invites'),
  invite: () => change((body: NewInvite) => call<CreatedInvite>('POST', '/api/invites', { body })),
  revokeInvite: () => change((id: string) => call<void>('DELETE', `/api/invites/${id}`)),
};
