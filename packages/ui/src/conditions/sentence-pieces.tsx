import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { audiencesApi } from '../api/definitions.ts';
import { ThingLink } from '../components/thing-link.tsx';
import { Time } from '../components/time.tsx';
import type { Piece } from './pieces.ts';
import { place } from './place.ts';

/** A sentence, with the user's words in bold. */
export function SentencePieces({ pieces }: { readonly pieces: readonly Piece[] }): ReactElement {
  return <>{pieces.map(part)}</>;
}

function part(piece: Piece, i: number): ReactElement | string {
  if (typeof piece === 'string') return piece;
  // The user's text may change the writing direction: it is isolated, so that it does not affect the words around it.
  if ('mark' in piece) {
    return (
      <strong key={place(i)} dir="auto">
        {piece.mark}
      </strong>
    );
  }
  if ('audienceId' in piece) return <AudienceName key={place(i)} id={piece.audienceId} />;
  // The service refuses a definition whose time is not valid, so this is a valid time.
  return (
    <strong key={place(i)}>
      <Time at={new Date(piece.moment).toISOString()} minutes />
    </strong>
  );
}

/** The name of an audience; its id while the name is not loaded. */
function AudienceName({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(audiencesApi.names());
  const name = data?.find((audience) => audience.id === id)?.name;
  return <ThingLink kind="audience" id={id} name={name ?? id} inherit fw={600} />;
}
