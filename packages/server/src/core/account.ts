export const ROLES = ['admin', 'viewer', 'observer'] as const;

/**
 * Who may sign in. An `admin` may change everything; a `viewer` may look at everything but secrets; an `observer` sees how
 * it goes (settings, counts, health, statistics) and nothing of persons: no bodies, no ids, no searches.
 */
export type Role = (typeof ROLES)[number];

/** Whether the first role may do everything that the other may. */
export function includes(role: Role, other: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(other);
}

/** The key by which an e-mail address is unique: two addresses that differ only in case, or in how their letters are composed, have one key. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
