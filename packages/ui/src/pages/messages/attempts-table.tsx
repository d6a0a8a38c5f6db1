import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Attempt } from '../../../../server/src/admin/contract.ts';
import { CodeBlock } from '../../components/code-block.tsx';
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
}

/** Every request to every URL in the order they were made: what the time line shows, as words. */
export function AttemptsTable({ attempts, receivedAt }: AttemptsTableProps): ReactElement {
  const columns: readonly Column<Attempt & { readonly key: string }>[] = [
    {
      header: 'When',
      cell: ({ at }) => (
        <>
          <Time at={at} absolute />
          <Text size="xs" c="dimmed">
            {duration(Date.parse(at) - Date.parse(receivedAt))} after it was received
          </Text>
        </>
      ),
    },
    { header: 'URL', cell: ({ url }) => <span className={classes['url']}>{url}</span> },
    {
      header: 'Answer',
      cell: (attempt) => <StatusBadge tone={toneOf(attempt)}>{attempt.status ?? attempt.error}</StatusBadge>,
    },
    { header: 'Took', align: 'end', cell: ({ ms }) => duration(ms) },
    { header: 'What it said', width: '36%', cell: (attempt) => <Said {...attempt} /> },
  ];
  return (
    <DataTable
      label="Attempts"
      columns={columns}
      rows={attempts.map((attempt, i) => ({ ...attempt, key: String(i) }))}
      rowKey={({ key }) => key}
      empty={null}
    />
  );
}

function Said({ error, detail, answer }: Attempt): ReactElement {
  return (
    <>
      {error !== null && <Text size="sm">{errorInWords(error)}</Text>}
      {detail !== null && (
        <Text size="xs" c="dimmed">
          {detail}
        </Text>
      )}
      {answer !== null && answer !== '' && (
        <details className={classes['details']}>
          <summary>Answer’s body (first 1 KiB)</summary>
          <CodeBlock code={answer} label="answer" height={220} />
        </details>
      )}
      {error === null && !answer && <Text c="dimmed">nothing</Text>}
    </>
  );
}
