import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { ListedMember } from '../../../../server/src/admin/contract.ts';
import { traitsApi } from '../../api/traits.ts';
import type { Column } from '../../components/data-table.tsx';
import { TRAIT } from '../../definitions/kinds.ts';
import { MembersTable } from '../../definitions/members-table.tsx';

const route = getRouteApi('/shell/traits/$traitId/values');

const VALUE: Column<ListedMember> = {
  header: 'Value',
  width: '35%',
  cell: ({ value }) => (
    <Text span size="sm" ff="monospace" lineClamp={3}>
      {JSON.stringify(value)}
    </Text>
  ),
};

/** Everybody who has a value, with it. */
export function TraitValuesTab(): ReactElement {
  const { traitId } = route.useParams();
  const { data } = useQuery(traitsApi.one(traitId));
  return <MembersTable kind={TRAIT} id={traitId} beside={VALUE} isComputing={data?.state === 'computing'} />;
}
