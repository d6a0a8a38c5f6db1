import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { useMayLook } from '../../shell/session.ts';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { SnippetsCard } from './snippets-card.tsx';
import { WriteKeyCard } from './write-key-card.tsx';

const route = getRouteApi('/shell/sources/$sourceId/connect');

/** From the write key to the first event. */
export function SourceConnectTab(): ReactElement {
  const { sourceId } = route.useParams();
  const mayLook = useMayLook();
  const { data: source } = useSuspenseQuery(sourcesApi.one(sourceId));
  if (source.sentBy !== null) return <SentByNote sentBy={source.sentBy} />;
  return (
    <Stack gap="md">
      {mayLook && <FirstEvent key={source.id} source={source} hint="Run one of the snippets." />}
      <WriteKeyCard source={source} />
      <SnippetsCard source={source} />
      {mayLook && <RejectionsTable sourceId={sourceId} />}
    </Stack>
  );
}
