import { Stack, Text, Title } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { PersonEvent } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Time } from '../../components/time.tsx';
import { brief } from './brief.ts';
import classes from './person.module.css';

const COLUMNS: readonly Column<PersonEvent>[] = [
  { header: 'What', width: '30%', cell: (event) => <What {...event} /> },
  { header: 'Properties', cell: (event) => <Properties {...event} /> },
  { header: 'When it happened', width: '190px', cell: ({ at }) => <Time at={at} /> },
];

/** What the person did lately, by the time when it happened. */
export function PersonEvents({ events }: { readonly events: readonly PersonEvent[] }): ReactElement {
  return (
    <Stack component="section" gap="xs" aria-labelledby="events">
      <Title order={2} id="events">
        Latest events
      </Title>
      <DataTable
        label="Latest events"
        columns={COLUMNS}
        rows={events}
        rowKey={({ messageId, at }) => `${messageId} ${at}`}
        empty={
          <EmptyState icon={IconActivity} title="No events">
            Track, page and screen calls of the person are listed here.
          </EmptyState>
        }
      />
    </Stack>
  );
}

function What({ type, name, messageId }: PersonEvent): ReactElement {
  return (
    <>
      <AnchorLink to="/messages/$messageId" params={{ messageId }} size="sm" fw={500}>
        {name ?? type}
      </AnchorLink>
      <Text size="xs" c="dimmed">
        {type}
      </Text>
    </>
  );
}

function Properties({ properties, messageId }: PersonEvent): ReactElement {
  if (Object.keys(properties).length === 0) return <>none</>;
  return (
    <details className={classes['details']}>
      <summary>{brief(properties)}</summary>
      <JsonView text={JSON.stringify(properties)} label={`properties of ${messageId}`} height={320} />
    </details>
  );
}
