import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { traitsApi } from '../../api/traits.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { DefinitionFrame } from '../../definitions/definition-frame.tsx';
import { TRAIT } from '../../definitions/kinds.ts';

const route = getRouteApi('/shell/traits/$traitId');

export function TraitPage(): ReactElement {
  const params = route.useParams();
  const { data: trait, error, refetch } = useQuery(traitsApi.one(params.traitId));
  return (
    <DefinitionFrame
      kind={TRAIT}
      id={params.traitId}
      of={trait}
      error={error}
      onRetry={() => void refetch()}
      edit={
        <ButtonLink to="/traits/$traitId/edit" params={params} leftSection={<IconPencil size={16} aria-hidden />}>
          Edit
        </ButtonLink>
      }
      tabs={[
        { label: 'Overview', link: linkOptions({ to: '/traits/$traitId', params }), exact: true },
        { label: 'Values', link: linkOptions({ to: '/traits/$traitId/values', params }) },
        { label: 'Sent', link: linkOptions({ to: '/traits/$traitId/sent', params }) },
      ]}
    />
  );
}
