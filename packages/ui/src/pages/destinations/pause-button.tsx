import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyFailed } from '../../components/notify.ts';

interface PauseButtonProps extends ButtonProps {
  readonly id: string;
  /** One of its URLs; the destination as a whole where it is absent. */
  readonly urlId?: string | undefined;
  /** What it is called. */
  readonly name: string;
  readonly pausedSince: string | null;
  /** On the button, where it says more than Pause. */
  readonly pause?: string;
}

/** Pauses and resumes a destination or a URL of it. Neither loses a message, so neither asks. */
export function PauseButton({
  id,
  urlId,
  name,
  pausedSince,
  pause = 'Pause',
  ...look
}: PauseButtonProps): ReactElement {
  const isPaused = pausedSince !== null;
  const change = useMutation(isPaused ? destinationsApi.resume() : destinationsApi.pause());
  const Icon = isPaused ? IconPlayerPlay : IconPlayerPause;
  const words = isPaused ? 'Resume' : pause;
  const press = (): void =>
    change.mutate(
      { id, urlId, pausedSince },
      { onError: notifyFailed(isPaused ? `“${name}” was not resumed` : `“${name}” was not paused`) },
    );
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={<Icon size={14} aria-hidden />}
      loading={change.isPending}
      aria-label={`${words} ${name}`}
      onClick={press}
      {...look}
    >
      {words}
    </Button>
  );
}

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
