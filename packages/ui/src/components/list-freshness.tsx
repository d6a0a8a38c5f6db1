import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ReadPage } from '../api/query.ts';
import { Time } from './time.tsx';

interface ListFreshnessProps {
  readonly list: UseInfiniteQueryResult<InfiniteData<ReadPage<unknown>>>;
}

/** Stands above a list of the log, which does not renew itself while it is read. Says how old the list is, and offers to load new items. */
export function ListFreshness({ list }: ListFreshnessProps): ReactElement {
  const { data, refetch, isRefetching, isFetchingNextPage } = list;
  const [first] = data?.pages ?? [];
  return (
    <Group justify="space-between" gap="xs">
      <Text c="dimmed">
        Newest first
        {first && (
          <>
            , read <Time at={new Date(first.readAt).toISOString()} />
          </>
        )}
      </Text>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconRefresh size={14} aria-hidden />}
        loading={isRefetching && !isFetchingNextPage}
        onClick={() => void refetch()}
      >
        Refresh
      </Button>
    </Group>
  );
}
