import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { audiencesApi } from '../api/definitions.ts';
import { AnchorLink } from './anchor-link.tsx';

/** Names the audience or computed trait that sends the calls of a source, by its id. */
export function SentBy({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(audiencesApi.names());
  if (!data) return <>an audience or a computed trait</>;
  if (data.some((audience) => audience.id === id)) {
    return (
      <AnchorLink to="/audiences/$id" params={{ id }} inherit>
        an audience
      </AnchorLink>
    );
  }
  return (
    <AnchorLink to="/traits/$id" params={{ id }} inherit>
      a computed trait
    </AnchorLink>
  );
}
