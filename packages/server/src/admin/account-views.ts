import type { OpenSession } from '../accounts/caller.ts';
import type * as accounts from '../accounts/contract.ts';
import type { ListedSession } from '../accounts/sessions.ts';
import { iso } from '../core/instant.ts';
import type * as contract from './contract.ts';
import { VERSION } from './version.ts';
import { picked, times } from './views.ts';

/** Accounts, invites, sessions and tokens as the admin API shows them: without hashes. */

export function accountView(from: accounts.StoredAccount): contract.Account {
  return { ...picked(from, 'id', 'email', 'name', 'role'), ...times(from, 'createdAt', 'lastSignInAt') };
}

export function inviteView(from: accounts.StoredInvite): contract.Invite {
  return { ...picked(from, 'id', 'email', 'role'), ...times(from, 'createdAt', 'expiresAt') };
}

export function tokenView(from: accounts.StoredToken): contract.ApiToken {
  return {
    ...picked(from, 'id', 'name', 'role', 'readOnly'),
    ...times(from, 'createdAt', 'expiresAt', 'lastUsedAt'),
  };
}

/** @param own the caller's session; null if the caller has none. */
export function listedSessionView(
  from: ListedSession,
  email: string | null,
  own: accounts.StoredSession | null,
): contract.ListedSession {
  const shown = { ...picked(from, 'id', 'way'), ...times(from, 'createdAt', 'expiresAt') };
  return { ...shown, email, usedAt: iso(from.renewedAt), current: from.hash === own?.hash };
}

export function sessionView(
  { role, account }: { readonly role: contract.Role; readonly account: accounts.StoredAccount | null },
  session: OpenSession,
): contract.Session {
  return {
    role,
    account: account && accountView(account),
    csrfToken: session.csrfToken,
    ...times(session, 'expiresAt'),
    version: VERSION,
  };
}

export function auditView(from: accounts.AuditEntry): contract.AuditEntry {
  return {
    ...picked(from, 'id', 'actor', 'action', 'address', 'target', 'fields'),
    ...times(from, 'at'),
    revision: from.changes?.revision ?? null,
    values: from.changes?.values ?? [],
  };
}
