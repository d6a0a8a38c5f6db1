import { useDisclosure } from '@mantine/hooks';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { IdleButton, type IdleButtonProps } from './idle-button.tsx';

interface ConfirmButtonProps extends Omit<ComponentProps<typeof ConfirmDialog>, 'opened' | 'onClose'> {
  readonly label: ReactNode;
  readonly button?: Partial<IdleButtonProps>;
}

/** A button that asks for confirmation first; see ConfirmDialog. */
export function ConfirmButton({ label, button, ...question }: ConfirmButtonProps): ReactElement {
  const [asking, { open, close }] = useDisclosure(false);
  return (
    <>
      <IdleButton idle={false} variant="default" {...button} onClick={open}>
        {label}
      </IdleButton>
      <ConfirmDialog {...question} opened={asking} onClose={close} />
    </>
  );
}
