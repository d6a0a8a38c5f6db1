import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { Time } from './time.tsx';

interface ListFreshnessProps {
  /** When the list was read, milliseconds since the epoch; 0 while it has not been. */
  readonly at: number;
  readonly busy: boolean;
  readonly onRefresh: () => void;
}

/** Above a list that stands still while it is read: how old it is, and the way to what is new. */
export function ListFreshness({ at, busy, onRefresh }: ListFreshnessProps): ReactElement {
  return (
    <Group justify="space-between" gap="xs">
      <Text c="dimmed">
        Newest first
        {at > 0 && (
          <>
            , read <Time at={new Date(at).toISOString()} />
          </>
        )}
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={busy}
        onClick={onRefresh}
      >
        Refresh
      </Button>
    </Group>
  );
}
