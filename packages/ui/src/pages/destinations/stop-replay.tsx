import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { replaysApi } from '../../api/replays.ts';
import { notifyFailed } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';

/** What it put back to waiting is still sent, so nothing is lost by it. */
export function StopReplay({ id }: { readonly id: string }): ReactElement | null {
  const stop = useMutation(replaysApi.stop());
  if (!useMayChange()) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={stop.isPending}
      onClick={() => stop.mutate(id, { onError: notifyFailed('The replay was not stopped') })}
    >
      Stop
    </Button>
  );
}
