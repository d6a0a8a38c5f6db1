import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactElement, Suspense } from 'react';
import { loopbackApi } from '../api/loopback.ts';

const LoopbackAlert = lazy(async () => ({ default: (await import('./loopback-alert.tsx')).LoopbackAlert }));

interface LoopbackNoteProps {
  /** Where it is worth a word though no destination waits: beside the URL of a destination, and on the way to the first. */
  readonly offers?: boolean;
}

/** Whether webhooks may go to the machine that the service runs on, where an admin can decide it. */
export function LoopbackNote({ offers = false }: LoopbackNoteProps): ReactElement | null {
  const { data } = useQuery(loopbackApi.get());
  if (!data?.canBeAllowed || (!data.allowed && data.held === 0 && !offers)) return null;
  return (
    <Suspense>
      <LoopbackAlert {...data} />
    </Suspense>
  );
}
