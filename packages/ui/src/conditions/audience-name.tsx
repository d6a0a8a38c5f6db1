import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { audiencesApi } from '../api/audiences.ts';
import { AnchorLink } from '../components/anchor-link.tsx';

/** An audience by its name; by its id while that is not known. */
export function AudienceName({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(audiencesApi.names());
  return (
    <AnchorLink to="/audiences/$id" params={{ id }} inherit fw={600}>
      {data?.find((audience) => audience.id === id)?.name ?? id}
    </AnchorLink>
  );
}
