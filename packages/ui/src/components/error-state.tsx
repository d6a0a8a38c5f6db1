import { Alert, Button, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { problemFrom, remedyFor } from '../api/problem.ts';

interface ErrorStateProps {
  readonly error: unknown;
  readonly onRetry?: (() => void) | undefined;
}

/** What went wrong, what to do about it, and a button to try again. */
export function ErrorState({ error, onRetry }: ErrorStateProps): ReactElement {
  const [tried, setTried] = useState<unknown>(null);
  const problem = problemFrom(error);
  const remedy = remedyFor(problem);
  return (
    <Alert color="red" title={problem.message} icon={<IconAlertTriangle aria-hidden />} role="alert">
      {remedy && <Text>{remedy}</Text>}
      <Text variant="aside" mt={4}>
        Code <code>{problem.code}</code>
      </Text>
      {onRetry && problem.code !== 'forbidden' && (
        <Button
          mt="sm"
          size="xs"
          variant="default"
          // A new attempt that fails brings a new error object, which ends the loading state.
          loading={tried === error}
          onClick={() => {
            setTried(error);
            onRetry();
          }}
        >
          Try again
        </Button>
      )}
    </Alert>
  );
}
