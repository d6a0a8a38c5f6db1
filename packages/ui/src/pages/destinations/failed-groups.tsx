import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { FailedGroup } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { Sample } from './errors-card.tsx';
import type { ReplayPreset } from './replay-form.tsx';

interface FailedGroupsProps {
  readonly destinationId: string;
  /** Given to who may send again: fills the form. */
  readonly onChoose: ((preset: ReplayPreset) => void) | undefined;
}

/** The newest failed messages by error and event, each with a sample. Nothing where none failed. */
export function FailedGroups({ destinationId, onChoose }: FailedGroupsProps): ReactElement | null {
  const { data, error, refetch } = useQuery(destinationsApi.failedGroups(destinationId));
  if (data?.looked === 0) return null;
  const columns: readonly (Column<FailedGroup> | false)[] = [
    {
      header: 'Error',
      width: '20%',
      cell: (group) => (
        <>
          <Text fw={600}>
            {group.title} ({group.error})
          </Text>
          <Text variant="aside">{group.advice}</Text>
        </>
      ),
    },
    { header: 'Event', width: '15%', cell: ({ event, type }) => event ?? type },
    { header: 'Messages', align: 'end', cell: (group) => count(group.count) },
    { header: 'Last', cell: ({ lastAt }) => <Time at={lastAt} /> },
    { header: 'Sample', cell: ({ sample }) => <Sample sample={sample} /> },
    onChoose !== undefined && {
      header: 'Send again',
      align: 'end',
      // A replay is narrowed by events, and not by kinds of call: of a call without one it would send all that met the error.
      cell: ({ event, error: kind }) =>
        event !== null && (
          <Button
            size="xs"
            variant="default"
            aria-label={`Choose ${event} with ${kind}`}
            onClick={() => onChoose({ event, error: kind })}
          >
            Choose
          </Button>
        ),
    },
  ];
  return (
    <Section id="groups" title="By error and event">
      {data?.more && <Text c="dimmed">Of the newest {count(data.looked)}. Count a replay to see all.</Text>}
      <DataTable
        label="Failed messages by error and event"
        columns={columns}
        rows={data?.groups}
        rowKey={({ error: kind, type, event }) => `${kind} ${type} ${event}`}
        error={error}
        onRetry={() => void refetch()}
        empty={null}
      />
    </Section>
  );
}
