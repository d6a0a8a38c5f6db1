import { Button } from '@mantine/core';
import { IconSearch, IconUserOff } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { Suppression } from '../../../../server/src/admin/contract.ts';
import { suppressionsApi } from '../../api/suppressions.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { notifyDone } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Time } from '../../components/time.tsx';
import { shortened } from '../../format/shortened.ts';
import { useMayChange } from '../../shell/session.ts';
import { DeletionTabs } from './deletion-parts.tsx';

const route = getRouteApi('/shell/deletions/suppressed');

/** Users whose calls are refused, and a button to accept their calls again. */
export function SuppressedPage(): ReactElement {
  const { text = '' } = route.useSearch();
  const mayChange = useMayChange();
  const [lifted, setLifted] = useState<string | null>(null);
  const list = useInfiniteQuery(suppressionsApi.list(text === '' ? {} : { prefix: text }));
  const lift = useMutation(suppressionsApi.lift());
  const columns: readonly (Column<Suppression> | false)[] = [
    { header: 'User id', cell: ({ userId }) => shortened(userId) },
    { header: 'Refused since', cell: ({ since }) => <Time at={since} /> },
    mayChange && {
      header: 'Actions',
      align: 'end',
      cell: ({ userId }) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`Lift the suppression of ${userId}`}
          onClick={() => setLifted(userId)}
        >
          Lift
        </Button>
      ),
    },
  ];
  const confirm = async (): Promise<void> => {
    if (lifted === null) return;
    await lift.mutateAsync(lifted);
    notifyDone(`Calls of “${lifted}” are taken again.`);
  };
  return (
    <>
      <PageHeader
        title="Deletion"
        documentTitle="Suppressed users · Deletion"
        description="Calls of a suppressed user are answered as success, listed as rejected, and neither stored nor delivered."
      />
      <DeletionTabs />
      <FindField
        of="Suppressed users"
        mb="md"
        maw={380}
        aria-label="User id begins with"
        placeholder="User id begins with…"
      />
      <DataTable
        label="Suppressed users"
        columns={columns}
        {...rowsOf(list)}
        rowKey={({ userId }) => userId}
        empty={
          text === '' ? (
            <EmptyState icon={IconUserOff} title="No user is suppressed">
              A deletion with suppression puts its users here: from then on their calls are refused.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="No suppressed user fits">
              No suppressed user id begins with “{text}”, upper and lower case included.
            </EmptyState>
          )
        }
      />
      <ConfirmDialog
        opened={lifted !== null}
        onClose={() => setLifted(null)}
        title={`Take calls of “${lifted ?? ''}” again?`}
        action="Lift the suppression"
        onConfirm={confirm}
      >
        From now on this user's calls are accepted and delivered. Calls that were refused before are not stored and
        can't come back.
      </ConfirmDialog>
    </>
  );
}
