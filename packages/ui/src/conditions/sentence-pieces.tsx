import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { audiencesApi } from '../api/definitions.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { Time } from '../components/time.tsx';
import type { Piece } from './pieces.ts';
import { place } from './place.ts';

/** A sentence, with what the user chose in bold. */
export function SentencePieces({ pieces }: { readonly pieces: readonly Piece[] }): ReactElement {
  return <>{pieces.map(part)}</>;
}

function part(piece: Piece, i: number): ReactElement | string {
  if (typeof piece === 'string') return piece;
  // In a direction of its own: a text that turns it around turns no word of ours.
  if ('mark' in piece) {
    return (
      <strong key={place(i)} dir="auto">
        {piece.mark}
      </strong>
    );
  }
  if ('audienceId' in piece) return <AudienceName key={place(i)} id={piece.audienceId} />;
  // Who wrote the definition may have written anything; the service refuses what is no time, so it is one.
  return (
    <strong key={place(i)}>
      <Time at={new Date(piece.moment).toISOString()} minutes />
    </strong>
  );
}

/** An audience by its name; by its id while that is not known. */
function AudienceName({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(audiencesApi.names());
  return (
    <AnchorLink to="/audiences/$id" params={{ id }} inherit fw={600}>
      {data?.find((audience) => audience.id === id)?.name ?? id}
    </AnchorLink>
  );
}
