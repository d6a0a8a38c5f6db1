import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface ConfirmButtonProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'opened' | 'onClose'> {
  readonly label: ReactNode;
  readonly button?: ButtonProps & Pick<ComponentProps<'button'>, 'aria-label' | 'title'>;
}

/** A button that asks before it does what it says; see ConfirmDialog. */
export function ConfirmButton({ label, button, ...question }: ConfirmButtonProps): ReactElement {
  const [asking, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <ConfirmDialog {...question} opened={asking} onClose={close} />
    </>
  );
}
