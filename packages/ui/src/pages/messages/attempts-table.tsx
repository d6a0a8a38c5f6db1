import { Text, UnstyledButton } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Attempt } from '../../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { duration } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import classes from './message.module.css';
import { toneOf } from './tone-of.ts';

interface AttemptsTableProps {
  readonly attempts: readonly Attempt[];
  readonly receivedAt: string;
  /** Place of the one whose request and response are shown. */
  readonly chosen: number;
  readonly onChoose: (place: number) => void;
}

interface Row extends Attempt {
  readonly place: number;
}

/** Every request to every URL in the order they were made: what the time line shows, as words. */
export function AttemptsTable({ attempts, receivedAt, chosen, onChoose }: AttemptsTableProps): ReactElement {
  const columns: readonly Column<Row>[] = [
    {
      header: 'When',
      cell: ({ at, place }) => (
        <UnstyledButton
          className={classes['attempt'] ?? ''}
          aria-pressed={place === chosen}
          onClick={() => onChoose(place)}
        >
          <Time at={at} absolute />
          <Text variant="aside" component="span" display="block">
            {duration(Date.parse(at) - Date.parse(receivedAt))} after it was received
          </Text>
        </UnstyledButton>
      ),
    },
    { header: 'URL', cell: ({ url }) => url },
    {
      header: 'Answer',
      cell: (attempt) => (
        <StatusBadge tone={toneOf(attempt)} title={errorInWords(attempt.error) ?? undefined}>
          {attempt.status ?? attempt.error}
        </StatusBadge>
      ),
    },
    { header: 'Took', align: 'end', cell: ({ ms }) => duration(ms) },
  ];
  return (
    <DataTable
      label="Attempts"
      columns={columns}
      rows={attempts.map((attempt, place) => ({ ...attempt, place }))}
      rowKey={({ place }) => String(place)}
      empty={null}
    />
  );
}
