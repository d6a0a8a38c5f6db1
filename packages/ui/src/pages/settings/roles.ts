import type { Role } from '../../../../server/src/admin/contract.ts';

/** As a choice in a form. */
export const ROLES: { readonly value: Role; readonly label: string }[] = [
  { value: 'observer', label: 'Observer' },
  { value: 'viewer', label: 'Viewer' },
  { value: 'admin', label: 'Admin' },
];

/** What each may do. */
export const ROLES_IN_WORDS =
  'Observers see how things stand, without personal data; viewers see everything but secrets; admins may change everything.';
