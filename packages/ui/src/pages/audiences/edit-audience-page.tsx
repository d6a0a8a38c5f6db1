import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { audiencesApi } from '../../api/audiences.ts';
import { isMissing } from '../../api/problem.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { OnlyAdmins } from '../../definitions/only-admins.tsx';
import { NotFound } from '../../shell/not-found-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { AudienceEditor } from './audience-editor.tsx';

const route = getRouteApi('/shell/audiences/$audienceId/edit');

export function EditAudiencePage(): ReactElement {
  const params = route.useParams();
  const mayChange = useMayChange();
  const { data: audience, error, refetch } = useQuery(audiencesApi.one(params.audienceId));
  if (isMissing(error)) {
    return (
      <NotFound what="audience" id={params.audienceId} all={<ButtonLink to="/audiences">All audiences</ButtonLink>} />
    );
  }
  return (
    <>
      <PageHeader
        back={
          <AnchorLink to="/audiences/$audienceId" params={params} size="sm">
            {audience?.name ?? 'Audience'}
          </AnchorLink>
        }
        title="Edit audience"
        documentTitle={audience ? `Edit ${audience.name}` : 'Edit audience'}
      />
      {!mayChange ? (
        <OnlyAdmins what="audiences" />
      ) : audience ? (
        <AudienceEditor audience={audience} />
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={420} />
      )}
    </>
  );
}
