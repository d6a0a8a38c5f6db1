import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { DeletionForm } from './deletion-form.tsx';

export function NewDeletionPage(): ReactElement {
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
        title="New deletion"
        description="Name the users, read what will happen, then confirm it. Nothing happens before that."
      />
      <ForAdmins
        title="Only admins may delete"
        otherwise="Ask an admin to request the deletion. You can follow every request and its receipts."
      >
        <DeletionForm />
      </ForAdmins>
    </>
  );
}
