import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { Time } from './time.tsx';

/** Stands above a list that does not renew itself while it is read. Says how old the list is, and offers to load new items. */
export function ListFreshness({ list }: { readonly list: UseInfiniteQueryResult }): ReactElement {
  const { dataUpdatedAt, refetch, isRefetching, isFetchingNextPage } = list;
  const [read, setRead] = useState({ at: dataUpdatedAt, seen: dataUpdatedAt, isMore: isFetchingNextPage });
  if (read.seen !== dataUpdatedAt || read.isMore !== isFetchingNextPage) {
    // Loading further pages does not make the pages before newer.
    const at = read.seen === dataUpdatedAt || read.isMore ? read.at : dataUpdatedAt;
    setRead({ at, seen: dataUpdatedAt, isMore: isFetchingNextPage });
  }
  const { at } = read;
  return (
    <Group justify="space-between" gap="xs">
      <Text c="dimmed">
        Newest first
        {at > 0 && (
          <>
            , read <Time at={new Date(at - Date.now() + serviceNow()).toISOString()} />
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
