import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useMemo } from 'react';
import type { ListedMember } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/audiences.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import type { Column } from '../../components/data-table.tsx';
import { AUDIENCE } from '../../definitions/kinds.ts';
import { MembersTable } from '../../definitions/members-table.tsx';

const route = getRouteApi('/shell/audiences/$audienceId/members');

export function AudienceMembersTab(): ReactElement {
  const { audienceId } = route.useParams();
  const why = useMemo(
    (): Column<ListedMember> => ({
      header: 'Why',
      cell: ({ id }) => (
        <AnchorLink to="/audiences/$audienceId/why" params={{ audienceId }} search={{ person: id }} size="sm">
          why in?
        </AnchorLink>
      ),
    }),
    [audienceId],
  );
  const { data } = useQuery(audiencesApi.one(audienceId));
  const isComputing = data?.state === 'computing';
  return <MembersTable kind={AUDIENCE} id={audienceId} beside={why} isComputing={isComputing} />;
}
