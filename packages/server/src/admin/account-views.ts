import type { OpenSession } from '../accounts/caller.ts';
import type * as accounts from '../accounts/contract.ts';
import type { ListedSession } from '../accounts/sessions.ts';
import type * as contract from './contract.ts';
import { VERSION } from './version.ts';
import { iso, isoOrNull } from './views.ts';

/** Accounts and their like, as the admin API shows them. Hashes stop here. */

export function accountView(from: accounts.StoredAccount): contract.Account {
  const { id, email, name, role } = from;
  return { id, email, name, role, createdAt: iso(from.createdAt), lastSignInAt: isoOrNull(from.lastSignInAt) };
}

export function inviteView(from: accounts.StoredInvite): contract.Invite {
  const { id, email, role } = from;
  return { id, email, role, createdAt: iso(from.createdAt), expiresAt: iso(from.expiresAt) };
}

export function tokenView(from: accounts.StoredToken): contract.ApiToken {
  const { id, name, role, readOnly } = from;
  const times = {
    createdAt: iso(from.createdAt),
    expiresAt: isoOrNull(from.expiresAt),
    lastUsedAt: isoOrNull(from.lastUsedAt),
  };
  return { id, name, role, readOnly, ...times };
}

/** `own` is the session that asks; null where none does. */
export function listedSessionView(
  from: ListedSession,
  email: string | null,
  own: accounts.StoredSession | null,
): contract.ListedSession {
  const { id, way, hash } = from;
  const times = { createdAt: iso(from.createdAt), usedAt: iso(from.renewedAt), expiresAt: iso(from.expiresAt) };
  return { id, email, way, ...times, current: hash === own?.hash };
}

export function sessionView(
  { role, account }: { readonly role: contract.Role; readonly account: accounts.StoredAccount | null },
  session: OpenSession,
): contract.Session {
  return {
    role,
    account: account && accountView(account),
    csrfToken: session.csrfToken,
    expiresAt: iso(session.expiresAt),
    version: VERSION,
  };
}

export function auditView(from: accounts.AuditEntry): contract.AuditEntry {
  const { id, at, actor, action, target, fields, address, changes } = from;
  const values = (changes?.values ?? []).map((value) => ({ ...value }));
  const revision = changes?.revision ?? null;
  return {
    id,
    at: iso(at),
    actor,
    action,
    target: target && { ...target },
    fields: [...fields],
    address,
    revision,
    values,
  };
}
