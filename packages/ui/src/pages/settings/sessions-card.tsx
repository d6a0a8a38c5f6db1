import { Button, Text } from '@mantine/core';
import { IconDevices } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ListedSession } from '../../../../server/src/admin/contract.ts';
import { sessionApi } from '../../api/session.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { notifyFailed } from '../../components/notify.ts';
import { pagedRows } from '../../components/paged-rows.ts';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';

const WAYS: Readonly<Record<ListedSession['way'], string>> = {
  password: 'password',
  token: 'admin token',
  link: 'one-time link',
};

/** The sessions that one may see: one's own, an admin everybody's. Each can be ended. */
export function SessionsCard(): ReactElement {
  const list = useInfiniteQuery(sessionApi.sessions());
  const end = useMutation(sessionApi.endSession());
  const columns: Column<ListedSession>[] = [
    {
      header: 'Signed in',
      cell: ({ email, way, current }) => (
        <>
          <Text fw={500}>
            {email ?? WAYS[way]}
            {current && ' (this one)'}
          </Text>
          <Text variant="aside">by {WAYS[way]}</Text>
        </>
      ),
    },
    { header: 'Since', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Last used', cell: ({ usedAt }) => <Time at={usedAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      header: 'Actions',
      align: 'end',
      cell: ({ id, current }) =>
        current ? null : (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending && end.variables === id}
            onClick={() => end.mutate(id, { onError: notifyFailed('The session was not ended') })}
          >
            End
          </Button>
        ),
    },
  ];
  return (
    <Section id="sessions" title="Sessions">
      <DataTable
        label="Sessions"
        columns={columns}
        {...pagedRows(list)}
        rowKey={({ id }) => id}
        empty={<EmptyState icon={IconDevices} title="No sessions" />}
      />
    </Section>
  );
}
