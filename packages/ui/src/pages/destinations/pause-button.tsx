import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyFailed } from '../../components/notify.ts';

interface PauseButtonProps extends ButtonProps {
  readonly id: string;
  /** Id of one of its URLs. Absent: the whole destination. */
  readonly urlId?: string | undefined;
  /** Name of the destination or URL. */
  readonly name: string;
  readonly pausedSince: string | null;
  /** Text of the button. Default: Pause. */
  readonly pause?: string;
}

/** Pauses and resumes a destination or one of its URLs. It asks no question, because neither loses a message. */
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
    void change
      .mutateAsync({ id, urlId, pausedSince })
      .catch(notifyFailed(isPaused ? `“${name}” was not resumed` : `“${name}” was not paused`));
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
  /** Id of one of its URLs. Absent: the whole destination. */
  readonly urlId?: string;
  /** Name of the destination or URL. */
  readonly name: string;
  readonly pausedSince: string | null;
  /** Text of the first button. Default: that of the dialog's. */
  readonly short?: string;
  /** What happens to the messages that are held. */
  readonly children: ReactNode;
}

/** Without a number: delete messages are held too and not discarded, nor is what a replay has put there. */
const DISCARD = 'Discard what it holds';

/** Resumes a destination or one of its URLs without the messages that it holds, after a question. */
export function DiscardButton(props: DiscardButtonProps): ReactElement {
  const { id, urlId, name, pausedSince, short = DISCARD, children, ...look } = props;
  const resume = useMutation(destinationsApi.resume());
  return (
    <ConfirmButton
      label={short}
      button={{ variant: 'subtle', color: 'red', size: 'xs', 'aria-label': `${short} ${name}`, ...look }}
      title={`Resume “${name}” without what it holds?`}
      action={DISCARD}
      onConfirm={() => resume.mutateAsync({ id, urlId, pausedSince, discard: true })}
    >
      {children}
    </ConfirmButton>
  );
}
