import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { OnlyAdmins } from '../../definitions/only-admins.tsx';
import { useMayChange } from '../../shell/session.ts';
import { AudienceEditor } from './audience-editor.tsx';

export function NewAudiencePage(): ReactElement {
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/audiences" size="sm">
            Audiences
          </AnchorLink>
        }
        title="New audience"
        description="Describe the members. The live size counts the persons who would be members now. Nothing is sent before you create it."
      />
      {mayChange ? <AudienceEditor audience={null} /> : <OnlyAdmins what="audiences" />}
    </>
  );
}
