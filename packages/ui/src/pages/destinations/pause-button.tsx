import { Button, type ButtonProps } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
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
