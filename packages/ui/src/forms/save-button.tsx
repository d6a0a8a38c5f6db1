import { Button, type ButtonProps } from '@mantine/core';
import type { ReactElement, Ref } from 'react';

interface SaveButtonProps extends ButtonProps {
  /** Is there nothing to save, or something to be decided first. */
  readonly idle: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** Sends its form. While it is idle it sends nothing, and keeps the focus, which a disabled button loses. */
export function SaveButton({ idle, ...button }: SaveButtonProps): ReactElement {
  return (
    <Button
      type="submit"
      data-disabled={idle}
      aria-disabled={idle}
      onClick={(event) => {
        if (idle) event.preventDefault();
      }}
      {...button}
    />
  );
}
