import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';

/** Shown to an observer in place of a page with personal data: a link can lead there. */
export function ForViewers(): ReactElement {
  return (
    <>
      <PageHeader title="Only for viewers and admins" />
      <EmptyState icon={IconLock} title="An observer sees no personal data">
        Ask an admin to make you a viewer.
      </EmptyState>
    </>
  );
}
