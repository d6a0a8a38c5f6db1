import { Card } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { Wizard } from './wizard.tsx';

/** Sets up a destination. */
export function WizardPage(): ReactElement {
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/catalog">Catalog</AnchorLink>}
        title="Set up Webhooks"
        description="Sends every call as a signed HTTP POST to up to five URLs."
      />
      {mayChange ? (
        <Wizard />
      ) : (
        <Card padding={0}>
          <EmptyState icon={IconLock} title="Only admins set up destinations">
            Ask one of them to do it, or to make you one.
          </EmptyState>
        </Card>
      )}
    </>
  );
}
