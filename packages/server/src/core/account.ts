export const ROLES = ['admin', 'viewer', 'observer'] as const;

/**
 * Who may sign in. An `admin` may change everything; a `viewer` may look at everything but secrets; an `observer` sees how
 * it goes (settings, counts, health, statistics) and nothing of persons: no bodies, no ids, no searches.
 */
export type Role = (typeof ROLES)[number];

/** Whether a role may what another one may. */
export function includes(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}

/** What makes an e-mail address unique: the address without regard to case and to how its letters are composed. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
