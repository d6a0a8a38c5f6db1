import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { isMissing } from '../../api/problem.ts';
import { traitsApi } from '../../api/traits.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { OnlyAdmins } from '../../definitions/only-admins.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { TraitEditor } from './trait-editor.tsx';

const route = getRouteApi('/shell/traits/$traitId/edit');

export function EditTraitPage(): ReactElement {
  const params = route.useParams();
  const mayChange = useMayChange();
  const { data: trait, error, refetch } = useQuery(traitsApi.one(params.traitId));
  if (isMissing(error)) {
    return (
      <NotFound
        what="computed trait"
        id={params.traitId}
        all={<ButtonLink to="/traits">All computed traits</ButtonLink>}
      />
    );
  }
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/traits/$traitId" params={params} size="sm">
            {trait?.name ?? 'Computed trait'}
          </AnchorLink>
        }
        title="Edit computed trait"
        documentTitle={trait ? `Edit ${trait.name}` : 'Edit computed trait'}
      />
      {!mayChange ? (
        <OnlyAdmins what="computed traits" />
      ) : trait ? (
        <TraitEditor trait={trait} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}
