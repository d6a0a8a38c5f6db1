import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeletionForm } from './deletion-form.tsx';

export function NewDeletionPage(): ReactElement {
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
        title="New deletion"
        description="Name the users, read what will happen, then confirm it. Nothing happens before that."
      />
      {mayChange ? (
        <DeletionForm />
      ) : (
        <EmptyState icon={IconLock} title="Only admins may delete">
          Ask an admin to request the deletion. You can follow every request and its receipts.
        </EmptyState>
      )}
    </>
  );
}
