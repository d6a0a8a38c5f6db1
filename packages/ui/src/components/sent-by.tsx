import type { ReactElement } from 'react';
import { ThingLink } from './thing-link.tsx';

/** Names the audience (`aud_…`) or computed trait that sends the calls of a source, by its id. */
export function SentBy({ id }: { readonly id: string }): ReactElement {
  return <ThingLink kind={isAudience(id) ? 'audience' : 'trait'} id={id} name={senderOf(id)} inherit />;
}

export function senderOf(id: string): string {
  return isAudience(id) ? 'an audience' : 'a computed trait';
}

function isAudience(id: string): boolean {
  return id.startsWith('aud_');
}
