import { IconPencil } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, linkOptions } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { audiencesApi } from '../../api/audiences.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { DefinitionFrame } from '../../definitions/definition-frame.tsx';
import { AUDIENCE } from '../../definitions/kinds.ts';

const route = getRouteApi('/shell/audiences/$audienceId');

export function AudiencePage(): ReactElement {
  const params = route.useParams();
  const { data: audience, error, refetch } = useQuery(audiencesApi.one(params.audienceId));
  return (
    <DefinitionFrame
      kind={AUDIENCE}
      id={params.audienceId}
      of={audience}
      error={error}
      onRetry={() => void refetch()}
      edit={
        <ButtonLink to="/audiences/$audienceId/edit" params={params} leftSection={<IconPencil size={16} aria-hidden />}>
          Edit
        </ButtonLink>
      }
      tabs={[
        { label: 'Overview', link: linkOptions({ to: '/audiences/$audienceId', params }), exact: true },
        { label: 'Members', link: linkOptions({ to: '/audiences/$audienceId/members', params }) },
        { label: 'Why in or out?', link: linkOptions({ to: '/audiences/$audienceId/why', params }) },
        { label: 'Sent', link: linkOptions({ to: '/audiences/$audienceId/sent', params }) },
      ]}
    />
  );
}
