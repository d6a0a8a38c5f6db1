import { Button } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Invite } from '../../../../server/src/admin/contract.ts';
import { accountsApi } from '../../api/accounts.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { Section } from '../../components/section.tsx';
import { Time } from '../../components/time.tsx';
import { useMayChange } from '../../shell/session.ts';

/** Invites that have not been accepted yet. */
export function InvitesTable(): ReactElement {
  const mayChange = useMayChange();
  const list = useInfiniteQuery(accountsApi.invites());
  const revoke = useMutation(accountsApi.revokeInvite());
  const [revoked, setRevoked] = useState<Invite | null>(null);
  const columns: readonly (Column<Invite> | false)[] = [
    { header: 'E-mail', cell: ({ email }) => email },
    { header: 'Role', width: '110px', cell: ({ role }) => role },
    { header: 'Invited', cell: ({ createdAt }) => <Time at={createdAt} /> },
    { header: 'Ends', cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    mayChange && {
      header: 'Actions',
      align: 'end',
      cell: (invite) => (
        <Button size="xs" variant="default" onClick={() => setRevoked(invite)}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Section id="invites" title="Invites">
      <DataTable
        label="Invites"
        columns={columns}
        {...pagedRows(list)}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconMail} title="No open invites">
            An invite is a link that works once, for 7 days.
          </EmptyState>
        }
      />
      <ConfirmDialog
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        title={`Revoke the invite for ${revoked?.email}?`}
        action="Revoke the invite"
        onConfirm={async () => revoked && (await revoke.mutateAsync(revoked.id))}
      >
        Its link works no more. Another invite can be made at any time.
      </ConfirmDialog>
    </Section>
  );
}
