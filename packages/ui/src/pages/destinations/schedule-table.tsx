import { Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { RetrySchedule } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { problemFrom } from '../../api/problem.ts';
import { exactly } from '../../format/number.ts';

/** Typing rests for so long, milliseconds, before the schedule is asked for. */
const REST_MS = 250;

/** When a message is tried again under a retry window, as it is typed; empty for that of the service. */
export function ScheduleTable({ retryWindow }: { readonly retryWindow: string }): ReactElement {
  const [asked] = useDebouncedValue(retryWindow, REST_MS);
  const isWritten = asked === '' || /^\d+(ms|s|m|h|d)$/.test(asked);
  const { data, error } = useQuery({ ...destinationsApi.schedule(asked), enabled: isWritten });
  if (!isWritten || error) {
    return (
      <Text c="dimmed" role="status">
        {error ? problemFrom(error).message : 'A window is written like 30m, 4h or 2d.'}
      </Text>
    );
  }
  return (
    <Table
      horizontalSpacing={6}
      verticalSpacing={4}
      aria-label="When a message is tried again"
      data={{
        caption: 'Endpoints that ask for a wait (Retry-After) get it, within the window.',
        head: ['Attempt', 'Wait before it', 'Since the first'],
        body: [['1', 'at once', '–'], ...(data ? rowsOf(data) : [])],
      }}
    />
  );
}

function rowsOf({ rounds, more, cap, window }: RetrySchedule): string[][] {
  const rows = rounds.map(({ round, waitAtLeast, waitAtMost, sinceFirstAtLeast, sinceFirstAtMost }) => [
    String(round),
    between(waitAtLeast, waitAtMost),
    between(sinceFirstAtLeast, sinceFirstAtMost),
  ]);
  return more ? [...rows, ['later', `up to ${exactly(cap)}`, '…'], ['last', '', exactly(window)]] : rows;
}

function between(least: number, most: number): string {
  return least === most ? exactly(most) : `${exactly(least)} to ${exactly(most)}`;
}
