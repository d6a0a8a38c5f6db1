import { Button, type ButtonProps } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactElement } from 'react';

/** A button that adds a row or part to a form: `Add header`. */
export function AddButton(props: ButtonProps & { readonly onClick: () => void }): ReactElement {
  return <Button variant="default" size="xs" leftSection={<IconPlus size={14} aria-hidden />} {...props} />;
}
