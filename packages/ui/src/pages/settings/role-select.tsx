import { Select, type SelectProps } from '@mantine/core';
import type { ReactElement } from 'react';
import { ROLES, ROLES_IN_WORDS } from './roles.ts';

/** A field for a role, with what each may do. */
export function RoleSelect(props: SelectProps): ReactElement {
  return <Select label="Role" description={ROLES_IN_WORDS} data={ROLES} allowDeselect={false} {...props} />;
}
