import { IconUsersGroup } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactElement, useMemo } from 'react';
import type { Member } from '../../../server/src/admin/contract.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ListFreshness } from '../components/list-freshness.tsx';
import { pagedRows } from '../components/paged-rows.ts';
import { PersonLink } from '../components/person-link.tsx';
import type { DefinitionKind } from './kinds.ts';

interface MembersTableProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** What stands beside each person. */
  readonly beside: Column<Member>;
}

const PERSON: Column<Member> = { header: 'Person', cell: (member) => <PersonLink {...member} /> };

/** Whom it holds, as it is now. */
export function MembersTable({ kind, id, beside }: MembersTableProps): ReactElement {
  const list = useInfiniteQuery(kind.api.members(id));
  const { dataUpdatedAt, refetch, isRefetching, isFetchingNextPage } = list;
  const columns = useMemo(() => [PERSON, beside], [beside]);
  return (
    <>
      <ListFreshness at={dataUpdatedAt} busy={isRefetching && !isFetchingNextPage} onRefresh={() => void refetch()} />
      <DataTable
        label={kind.members}
        columns={columns}
        {...pagedRows(list)}
        rowKey={(member) => member.id}
        empty={
          <EmptyState icon={IconUsersGroup} title="Nobody yet">
            Whoever the definition holds for is listed here from the moment it does.
          </EmptyState>
        }
      />
    </>
  );
}
