import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactElement } from 'react';

/** A field for a password or a secret. Also tells screen readers when its value is wrong. */
export function PasswordField(props: PasswordInputProps): ReactElement {
  return <PasswordInput {...props} {...(props.error && { 'aria-invalid': true })} />;
}
