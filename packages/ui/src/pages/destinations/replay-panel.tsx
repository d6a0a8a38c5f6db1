import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { ReplayForm, type ReplayPreset } from './replay-form.tsx';
import { ReplayProgress } from './replay-progress.tsx';

interface ReplayPanelProps {
  readonly destinationId: string;
  readonly mayStart: boolean;
  /** The one that was started here; null when none was. */
  readonly replayId: string | null;
  readonly onStarted: (replayId: string | null) => void;
  readonly preset: ReplayPreset;
}

/** Choose, count, start; then how far it is. */
export function ReplayPanel({ destinationId, mayStart, replayId, onStarted, preset }: ReplayPanelProps): ReactElement {
  return (
    <Card component="section" aria-labelledby="replay">
      <Stack gap="md">
        <div>
          <Title order={2} id="replay">
            Send again
          </Title>
          <Text c="dimmed">
            The same messages, byte for byte, with a new <GlossaryTerm name="retry window">retry window</GlossaryTerm>.
            Receivers recognise repetitions by the <GlossaryTerm name="messageId">messageId</GlossaryTerm>.
          </Text>
        </div>
        {replayId === null ? (
          <ReplayForm
            key={JSON.stringify(preset)}
            destinationId={destinationId}
            mayStart={mayStart}
            onStarted={onStarted}
            preset={preset}
          />
        ) : (
          <ReplayProgress replayId={replayId} onAnother={() => onStarted(null)} />
        )}
      </Stack>
    </Card>
  );
}
