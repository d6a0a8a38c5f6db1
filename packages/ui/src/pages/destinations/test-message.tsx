import { Box, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination, TestedUrl } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { errorInWords } from '../../format/reasons.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { TestedBadge } from './tested-badge.tsx';

interface TestMessageProps {
  readonly destination: Destination;
  /** Whether the form has unsaved input. */
  readonly isEdited: boolean;
}

/** Sends one real message, which is not counted, to each saved URL, and shows the answers. */
export function TestMessage({ destination: { id }, isEdited }: TestMessageProps): ReactElement {
  const test = useMutation(destinationsApi.test());
  return (
    <SectionCard
      title="Test message"
      description={
        <>
          Sends a sample track call to each URL as it is saved, signed as a delivery is. It is never retried, and is not
          counted.{' '}
          <AnchorLink to="/destinations/$id/test" params={{ id }} inherit td="underline">
            Send another call, or a real event
          </AnchorLink>
          .
        </>
      }
    >
      <div>
        <Button variant="default" loading={test.isPending} onClick={() => test.mutate({ id })}>
          Send a test message
        </Button>
        {isEdited && (
          <Text c="dimmed" mt="xs">
            What you changed is not part of it until it is saved. A URL can be checked before that, at its field.
          </Text>
        )}
        <div aria-live="polite">
          {test.error && <ErrorState error={test.error} />}
          {test.data?.urls.map((url) => (
            <Answer key={url.url} {...url} />
          ))}
        </div>
      </div>
    </SectionCard>
  );
}

function Answer(tested: TestedUrl): ReactElement {
  const { url, status, error, answer } = tested;
  return (
    <Box mt="sm">
      <Group gap="xs">
        <TestedBadge {...tested} />
        <Text style={{ overflowWrap: 'anywhere' }}>{url}</Text>
      </Group>
      {status === null && <Text>{errorInWords(error)}</Text>}
      {answer && (
        <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
          It answered: <code>{answer}</code>
        </Text>
      )}
    </Box>
  );
}
