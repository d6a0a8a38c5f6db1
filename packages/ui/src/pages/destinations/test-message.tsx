import { Button, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { TestAnswer } from './test-answer.tsx';

/** One real, signed message to each saved URL, outside of the counts, and what came back. */
export function TestMessage({ destination: { id } }: { readonly destination: Destination }): ReactElement {
  const test = useMutation(destinationsApi.test());
  return (
    <SectionCard
      title="Test message"
      description="Sends a sample track call to each URL as it is saved, signed. It is never retried, and is not counted."
    >
      <Group gap="md">
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ id })}>
          Send a test message
        </Button>
        <AnchorLink to="/destinations/$destinationId/test" params={{ destinationId: id }} size="sm">
          Send another call, or a real event
        </AnchorLink>
      </Group>
      <div aria-live="polite">
        {test.error && <ErrorState error={test.error} />}
        {test.data && <TestAnswer result={test.data} />}
      </div>
    </SectionCard>
  );
}
