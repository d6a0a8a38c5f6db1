import { Text } from '@mantine/core';
import { IconPlus, IconUserX } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { type Column, DataTable, pagedRows } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count, many } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';
import { DeletionTabs } from './deletion-tabs.tsx';
import { delivered, standing, TYPES } from './deletion-words.ts';

const COLUMNS: readonly Column<Regulation>[] = [
  { header: 'Request', cell: (regulation) => <Request {...regulation} /> },
  { header: 'State', cell: (regulation) => <Standing {...regulation} /> },
  { header: 'Events removed', align: 'end', cell: ({ events }) => count(events.removed) },
  { header: 'Delete messages', align: 'end', cell: (regulation) => <Notices {...regulation} /> },
  { header: 'Requested', cell: ({ createdAt }) => <Time at={createdAt} /> },
];

/** All requested deletions, newest first, live. */
export function DeletionsPage(): ReactElement {
  const mayChange = useMayChange();
  const list = useInfiniteQuery(regulationsApi.list());
  const create = mayChange && (
    <ButtonLink to="/deletions/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New deletion
    </ButtonLink>
  );
  const isEmpty = list.data?.pages[0]?.items.length === 0;
  return (
    <>
      <PageHeader
        title="Deletion"
        description="Remove what is stored about users, and tell every destination to do the same."
        actions={!isEmpty && create}
      />
      <DeletionTabs />
      <DataTable
        label="Deletions"
        columns={COLUMNS}
        {...pagedRows(list)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconUserX} title="No deletion was requested yet" action={create}>
            A deletion removes everything stored about users and sends each destination a signed delete message. A
            receipt of every request is kept as evidence.
          </EmptyState>
        }
      />
    </>
  );
}

function Request({ id, regulationType, users }: Regulation): ReactElement {
  return (
    <>
      <AnchorLink to="/deletions/$regulationId" params={{ regulationId: id }} fw={500}>
        {TYPES[regulationType]} {many(users, 'user')}
      </AnchorLink>
      <Text variant="aside">{id}</Text>
    </>
  );
}

function Standing(regulation: Regulation): ReactElement {
  const { tone, words } = standing(regulation);
  return <StatusBadge tone={tone}>{words}</StatusBadge>;
}

function Notices({ notices }: Regulation): ReactElement {
  const { total, failed, filtered } = notices;
  if (total === 0) return <>–</>;
  return (
    <>
      {count(delivered(notices))} of {count(total)} delivered
      {failed > 0 && (
        <Text size="xs" c="var(--millrace-bad)">
          {count(failed)} failed
        </Text>
      )}
      {filtered > 0 && (
        <Text size="xs" c="var(--millrace-warn)">
          {count(filtered)} to no destination
        </Text>
      )}
    </>
  );
}
