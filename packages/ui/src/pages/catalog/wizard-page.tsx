import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { Wizard } from './wizard.tsx';

/** Sets up a destination. */
export function WizardPage(): ReactElement {
  return (
    <>
      <PageHeader
        back={<AnchorLink to="/catalog">Catalog</AnchorLink>}
        title="Set up Webhooks"
        description="Sends every call as a signed HTTP POST to up to five URLs."
      />
      <ForAdmins title="Only admins set up destinations">
        <Wizard />
      </ForAdmins>
    </>
  );
}
