import type { ReactElement } from 'react';
import { SectionCard } from '../../forms/section-card.tsx';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { ReplayForm, type ReplayPreset } from './replay-form.tsx';
import { ReplayProgress } from './replay-progress.tsx';

interface ReplayPanelProps {
  readonly destinationId: string;
  /** The one that was started here; null when none was. */
  readonly replayId: string | null;
  readonly onStarted: (replayId: string | null) => void;
  readonly preset: ReplayPreset;
}

/** Choose, count, start; then how far it is. */
export function ReplayPanel({ destinationId, replayId, onStarted, preset }: ReplayPanelProps): ReactElement {
  return (
    <SectionCard
      id="replay"
      title="Send again"
      description={
        <>
          The same messages, byte for byte, with a new <GlossaryTerm name="retry window">retry window</GlossaryTerm>.
          Receivers recognise repetitions by the <GlossaryTerm name="messageId">messageId</GlossaryTerm>.
        </>
      }
    >
      {replayId === null ? (
        <ReplayForm key={JSON.stringify(preset)} destinationId={destinationId} onStarted={onStarted} preset={preset} />
      ) : (
        <ReplayProgress replayId={replayId} onAnother={() => onStarted(null)} />
      )}
    </SectionCard>
  );
}
