import { Text } from '@mantine/core';
import { IconPlus, IconUserX } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Regulation } from '../../../../server/src/admin/contract.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count, many } from '../../format/number.ts';
import { useMayChange } from '../../shell/session.ts';
import { DeletionTabs, Standing } from './deletion-parts.tsx';
import { TYPES } from './deletion-words.ts';

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
        {...rowsOf(list)}
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
      <ThingLink kind="deletion" id={id} name={`${TYPES[regulationType]} ${many(users, 'user')}`} fw={500} />
      <Text variant="aside">{id}</Text>
    </>
  );
}

function Notices({ notices }: Regulation): ReactElement {
  const { total, delivered, failed, filtered } = notices;
  if (total === 0) return <>–</>;
  return (
    <>
      {count(delivered)} of {count(total)} delivered
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
