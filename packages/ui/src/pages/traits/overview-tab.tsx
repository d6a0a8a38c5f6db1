import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { traitsApi } from '../../api/traits.ts';
import { TraitSentence } from '../../conditions/trait-sentence.tsx';
import { DefinitionOverview } from '../../definitions/definition-overview.tsx';
import { TRAIT } from '../../definitions/kinds.ts';

const route = getRouteApi('/shell/traits/$traitId/');

export function TraitOverviewTab(): ReactElement {
  const { traitId } = route.useParams();
  const { data: trait } = useQuery(traitsApi.one(traitId));
  if (!trait) return <Skeleton height={420} />;
  return (
    <DefinitionOverview kind={TRAIT} of={trait} title="What is computed">
      <TraitSentence definition={trait.definition} />
    </DefinitionOverview>
  );
}
