import type { ButtonProps } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';

interface DiscardButtonProps extends ButtonProps {
  readonly id: string;
  /** One of its URLs; the destination as a whole where it is absent. */
  readonly urlId?: string;
  /** What it is called. */
  readonly name: string;
  readonly pausedSince: string | null;
  /** In the dialog; on the button unless it says less. */
  readonly action: string;
  readonly short?: string;
  /** What becomes of what is held. */
  readonly children: ReactNode;
}

/** Resumes a destination or a URL of it without what it holds, after a question. */
export function DiscardButton(props: DiscardButtonProps): ReactElement {
  const { id, urlId, name, pausedSince, action, short = action, children, ...look } = props;
  const resume = useMutation(destinationsApi.resume());
  return (
    <ConfirmButton
      label={short}
      button={{ variant: 'subtle', color: 'red', size: 'xs', 'aria-label': `${short} ${name}`, ...look }}
      title={`Resume “${name}” without what it holds?`}
      action={action}
      onConfirm={() => resume.mutateAsync({ id, urlId, pausedSince, discard: true })}
    >
      {children}
    </ConfirmButton>
  );
}
