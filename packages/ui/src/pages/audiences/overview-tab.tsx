import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { audiencesApi } from '../../api/audiences.ts';
import { DefinitionSentence } from '../../conditions/definition-sentence.tsx';
import { DefinitionOverview } from '../../definitions/definition-overview.tsx';
import { AUDIENCE } from '../../definitions/kinds.ts';

const route = getRouteApi('/shell/audiences/$audienceId/');

export function AudienceOverviewTab(): ReactElement {
  const { audienceId } = route.useParams();
  const { data: audience } = useQuery(audiencesApi.one(audienceId));
  if (!audience) return <Skeleton height={420} />;
  return (
    <DefinitionOverview kind={AUDIENCE} of={audience} title="Who is in">
      <DefinitionSentence condition={audience.definition} />
    </DefinitionOverview>
  );
}
