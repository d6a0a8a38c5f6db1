import { Button, Group, Text } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { serviceNow } from '../api/service-clock.ts';
import { Time } from './time.tsx';

/** Above a list that stands still while it is read: how old it is, and the way to what is new. */
export function ListFreshness({ list }: { readonly list: UseInfiniteQueryResult }): ReactElement {
  const { dataUpdatedAt, refetch, isRefetching, isFetchingNextPage } = list;
  const [read, setRead] = useState({ at: dataUpdatedAt, seen: dataUpdatedAt, isMore: isFetchingNextPage });
  if (read.seen !== dataUpdatedAt || read.isMore !== isFetchingNextPage) {
    // What further pages bring makes those before no newer.
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
