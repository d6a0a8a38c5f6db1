import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ComponentProps, ReactElement } from 'react';

type Native = Pick<ComponentProps<'button'>, 'aria-label' | 'onClick' | 'ref' | 'type'>;

export interface IdleButtonProps extends ButtonProps, Native {
  /** True if there is nothing to do, or something prevents it. */
  readonly idle: boolean;
  /** The reason, shown on hover. */
  readonly why?: string | undefined;
}

/** A button that does nothing while it is idle, but keeps the focus, which a disabled button loses. */
export function IdleButton({ idle, why, onClick, ...button }: IdleButtonProps): ReactElement {
  return (
    <Tooltip label={why} disabled={!idle || why === undefined}>
      <Button
        data-disabled={idle}
        aria-disabled={idle}
        onClick={(event) => (idle ? event.preventDefault() : onClick?.(event))}
        {...button}
      />
    </Tooltip>
  );
}
