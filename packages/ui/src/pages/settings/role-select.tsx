import { Select, type SelectProps } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Role } from '../../../../server/src/admin/contract.ts';
import { choices } from '../../components/choices.ts';

/** A field for a role. Each option says what the role may do. */
export function RoleSelect(props: SelectProps): ReactElement {
  return <Select label="Role" description={ROLES_IN_WORDS} data={ROLES} allowDeselect={false} {...props} />;
}

/** The roles as options of a form. */
export const ROLES: { readonly value: Role; readonly label: string }[] = choices({
  observer: 'Observer',
  viewer: 'Viewer',
  admin: 'Admin',
});

/** What each role may do. */
export const ROLES_IN_WORDS =
  'Observers see how things stand, without personal data; viewers see everything but secrets; admins may change everything.';
