import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { traitsApi } from '../../api/traits.ts';
import { SentMessages } from '../../definitions/sent-messages.tsx';

const route = getRouteApi('/shell/traits/$traitId/sent');

export function TraitSentTab(): ReactElement {
  const { traitId } = route.useParams();
  const { data: trait } = useQuery(traitsApi.one(traitId));
  return trait ? <SentMessages of={trait} /> : <Skeleton height={420} />;
}
