import { Group, Stack, Text, Title } from '@mantine/core';
import { IconActivity, IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import type { Person, PersonEvent } from '../../../../server/src/admin/contract.ts';
import { peopleApi } from '../../api/people.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import classes from './person.module.css';
import { brief } from './person-traits.tsx';

const COLUMNS: readonly Column<PersonEvent>[] = [
  { header: 'What', width: '30%', cell: (event) => <What {...event} /> },
  { header: 'Properties', cell: (event) => <Properties {...event} /> },
  { header: 'When it happened', width: '190px', cell: ({ at }) => <Time at={at} minutes /> },
];

const BELOW_TOP_BAR = { scrollMarginTop: 80 };

/** The person's events by the time at which they happened: the newest, live, and older ones page by page. */
export function PersonEvents({ person }: { readonly person: Person }): ReactElement {
  /** Cursors of the pages after the newest one, up to the page that is shown. */
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const top = useRef<HTMLDivElement>(null);
  const cursor = cursors.at(-1);
  const older = useQuery(peopleApi.events(person.id, cursor));
  const isNewest = cursor === undefined;
  const page = isNewest ? { items: person.events, next: person.nextEvents } : older.data;
  const next = page?.next ?? null;
  const turnTo = (pages: readonly string[]): void => {
    setCursors(pages);
    top.current?.scrollIntoView({ block: 'start' });
  };
  const isTurning = !isNewest && older.isFetching;
  return (
    <Stack component="section" style={BELOW_TOP_BAR} gap="xs" aria-labelledby="events" ref={top}>
      <Title id="events">{isNewest ? 'Latest events' : 'Events'}</Title>
      <DataTable
        label={isNewest ? 'Latest events' : 'Events'}
        columns={COLUMNS}
        rows={page?.items}
        rowKey={({ messageId, at }) => `${messageId} ${at}`}
        error={isNewest ? null : older.error}
        onRetry={() => void older.refetch()}
        empty={
          <EmptyState icon={IconActivity} title="No events">
            Track, page and screen calls of the person are listed here.
          </EmptyState>
        }
      />
      {(!isNewest || next !== null) && (
        <Group component="nav" aria-label="Pages of events" justify="space-between" gap="xs">
          <Text c="dimmed" role="status">
            Page {(cursors.length + 1).toLocaleString('en')}, newest first
          </Text>
          <Group gap="xs">
            <Turn label="Newest" to={isNewest ? null : []} onTurn={turnTo} />
            <Turn
              label="Newer"
              to={isNewest ? null : cursors.slice(0, -1)}
              onTurn={turnTo}
              icon={<IconChevronLeft size={14} aria-hidden />}
            />
            <Turn
              label="Older"
              to={next === null || isTurning ? null : [...cursors, next]}
              onTurn={turnTo}
              iconAfter={<IconChevronRight size={14} aria-hidden />}
            />
          </Group>
        </Group>
      )}
    </Stack>
  );
}

interface TurnProps {
  readonly label: string;
  /** Null if there is no such page. The button then keeps the focus. */
  readonly to: readonly string[] | null;
  readonly onTurn: (cursors: readonly string[]) => void;
  readonly icon?: ReactElement;
  readonly iconAfter?: ReactElement;
}

function Turn({ label, to, onTurn, icon, iconAfter }: TurnProps): ReactElement {
  return (
    <IdleButton
      idle={to === null}
      variant="default"
      size="xs"
      leftSection={icon}
      rightSection={iconAfter}
      onClick={() => to !== null && onTurn(to)}
    >
      {label}
    </IdleButton>
  );
}

function What({ type, name, messageId }: PersonEvent): ReactElement {
  return (
    <>
      <ThingLink kind="message" id={messageId} name={name ?? type} fw={500} />
      <Text variant="aside">{type}</Text>
    </>
  );
}

function Properties({ properties, messageId }: PersonEvent): ReactElement {
  const [isOpen, setOpen] = useState(false);
  if (Object.keys(properties).length === 0) return <>none</>;
  return (
    <details className={classes['details']} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{brief(properties)}</summary>
      {isOpen && <JsonView text={JSON.stringify(properties)} label={`properties of ${messageId}`} height={320} />}
    </details>
  );
}
