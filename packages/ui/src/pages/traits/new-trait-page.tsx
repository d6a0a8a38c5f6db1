import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { OnlyAdmins } from '../../definitions/only-admins.tsx';
import { useMayChange } from '../../shell/session.ts';
import { TraitEditor } from './trait-editor.tsx';

export function NewTraitPage(): ReactElement {
  const mayChange = useMayChange();
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/traits" size="sm">
            Computed traits
          </AnchorLink>
        }
        title="New computed trait"
        description="Describe what is computed. The live values are those that persons would have now. Nothing is sent before you create it."
      />
      {mayChange ? <TraitEditor trait={null} /> : <OnlyAdmins what="computed traits" />}
    </>
  );
}
