import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactElement, Suspense } from 'react';
import { loopbackApi } from '../api/loopback.ts';

const LoopbackAlert = lazy(async () => ({ default: (await import('./loopback-alert.tsx')).LoopbackAlert }));

interface LoopbackNoteProps {
  /** True: also shown if no destination waits for it. Used beside a destination's URL and in the first steps. */
  readonly offers?: boolean;
}

/** Lets an admin decide whether webhooks may go to the machine of the service. */
export function LoopbackNote({ offers = false }: LoopbackNoteProps): ReactElement | null {
  const { data } = useQuery(loopbackApi.get());
  if (!data?.canBeAllowed || (!data.allowed && data.held === 0 && !offers)) return null;
  return (
    <Suspense>
      <LoopbackAlert {...data} />
    </Suspense>
  );
}
