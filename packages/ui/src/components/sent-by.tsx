import type { ReactElement } from 'react';
import { AnchorLink } from './anchor-link.tsx';

/** Names the audience (`aud_…`) or computed trait that sends the calls of a source, by its id. */
export function SentBy({ id }: { readonly id: string }): ReactElement {
  const isAudience = id.startsWith('aud_');
  return (
    <AnchorLink to={isAudience ? '/audiences/$id' : '/traits/$id'} params={{ id }} inherit>
      {isAudience ? 'an audience' : 'a computed trait'}
    </AnchorLink>
  );
}
