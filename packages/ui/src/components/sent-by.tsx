import type { ReactElement } from 'react';
import { AnchorLink } from './anchor-link.tsx';

/** Names the audience (`aud_…`) or computed trait that sends the calls of a source, by its id. */
export function SentBy({ id }: { readonly id: string }): ReactElement {
  return (
    <AnchorLink to={isAudience(id) ? '/audiences/$id' : '/traits/$id'} params={{ id }} inherit>
      {senderOf(id)}
    </AnchorLink>
  );
}

export function senderOf(id: string): string {
  return isAudience(id) ? 'an audience' : 'a computed trait';
}

function isAudience(id: string): boolean {
  return id.startsWith('aud_');
}
