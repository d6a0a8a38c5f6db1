import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { alertsApi } from '../../api/alerts.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { KINDS } from './alert-drafts.ts';

/** Sends a test to each address that is saved, and shows what came back. */
export function AlertTest({ disabled }: { readonly disabled: boolean }): ReactElement {
  const test = useMutation(alertsApi.test());
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" disabled={disabled} loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send a test to each address
        </Button>
      </Group>
      {test.error && <ErrorState error={test.error} />}
      <div role="status">
        {test.data?.items.map(({ addressId, kind, ok, detail }) => (
          <Group key={addressId} gap="xs">
            <StatusBadge tone={ok ? 'good' : 'bad'}>{ok ? 'sent' : 'failed'}</StatusBadge>
            <Text style={{ overflowWrap: 'anywhere' }}>
              {KINDS.find(({ value }) => value === kind)?.label}: {detail}
            </Text>
          </Group>
        ))}
      </div>
    </Stack>
  );
}
