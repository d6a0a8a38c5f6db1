import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useMayLook } from '../../shell/session.ts';
import { FirstEvent } from './first-event.tsx';
import { RejectionsTable } from './rejections-table.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { useShownSource } from './shown-source.ts';
import { SnippetsCard } from './snippets-card.tsx';
import { WriteKeyCard } from './write-key-card.tsx';

/** From the write key to the first event. */
export function SourceConnectTab(): ReactElement {
  const mayLook = useMayLook();
  const source = useShownSource();
  if (source.sentBy !== null) return <SentByNote sentBy={source.sentBy} />;
  return (
    <Stack gap="md">
      {mayLook && <FirstEvent key={source.id} source={source} hint="Run one of the snippets." />}
      <WriteKeyCard source={source} />
      <SnippetsCard source={source} />
      {mayLook && <RejectionsTable sourceId={source.id} />}
    </Stack>
  );
}
