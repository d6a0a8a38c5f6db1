import { Container } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { type ReactElement, useCallback, useEffect } from 'react';
import { onReach, unreachableSince } from '../api/reach.ts';
import { ErrorState } from '../components/error-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

/** Replaces a page that failed to render. The rest of the frame stays. */
export function RouteError({ error, reset }: ErrorComponentProps): ReactElement {
  const router = useRouter();
  const retry = useCallback((): void => {
    reset();
    void router.invalidate();
  }, [reset, router]);
  useEffect(
    () =>
      onReach(() => {
        if (unreachableSince() === null) retry();
      }),
    [retry],
  );
  return (
    <Container size="md" py="md">
      <PageHeader title="This page could not be shown" />
      <ErrorState error={error} onRetry={retry} />
    </Container>
  );
}
