import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import type { ReactElement } from 'react';

/** A field for a password or a secret, which also says to screen readers that it is wrong. */
export function PasswordField(props: PasswordInputProps): ReactElement {
  return <PasswordInput {...props} {...(props.error && { 'aria-invalid': true })} />;
}
