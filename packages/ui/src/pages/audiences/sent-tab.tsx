import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { audiencesApi } from '../../api/audiences.ts';
import { SentMessages } from '../../definitions/sent-messages.tsx';

const route = getRouteApi('/shell/audiences/$audienceId/sent');

export function AudienceSentTab(): ReactElement {
  const { audienceId } = route.useParams();
  const { data: audience } = useQuery(audiencesApi.one(audienceId));
  return audience ? <SentMessages of={audience} /> : <Skeleton height={420} />;
}
