import { Table, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
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
    <Table horizontalSpacing={6} verticalSpacing={4} aria-label="When a message is tried again">
      <Table.Caption>Endpoints that ask for a wait (Retry-After) get it, within the window.</Table.Caption>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Attempt</Table.Th>
          <Table.Th scope="col">Wait before it</Table.Th>
          <Table.Th scope="col">Since the first</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        <Row round="1" wait="at once" since="–" />
        {data?.rounds.map(({ round, waitAtLeast, waitAtMost, sinceFirstAtLeast, sinceFirstAtMost }) => (
          <Row
            key={round}
            round={String(round)}
            wait={between(waitAtLeast, waitAtMost)}
            since={between(sinceFirstAtLeast, sinceFirstAtMost)}
          />
        ))}
        {data?.more && (
          <>
            <Row round="later" wait={`up to ${exactly(data.cap)}`} since="…" />
            <Row round="last" wait="" since={exactly(data.window)} />
          </>
        )}
      </Table.Tbody>
    </Table>
  );
}

function Row({
  round,
  wait,
  since,
}: {
  readonly round: string;
  readonly wait: string;
  readonly since: string;
}): ReactElement {
  return (
    <Table.Tr>
      <Table.Td>{round}</Table.Td>
      <Table.Td>{wait}</Table.Td>
      <Table.Td>{since}</Table.Td>
    </Table.Tr>
  );
}

function between(least: number, most: number): string {
  return least === most ? exactly(most) : `${exactly(least)} to ${exactly(most)}`;
}
