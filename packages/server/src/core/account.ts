export const ROLES = ['admin', 'viewer'] as const;

/** Who may sign in. An `admin` may change everything; a `viewer` may look at everything but secrets. */
export type Role = (typeof ROLES)[number];

/** What makes an e-mail address unique: the address without regard to case and to how its letters are composed. */
export function emailKey(email: string): string {
  return email.normalize('NFC').toLowerCase();
}
