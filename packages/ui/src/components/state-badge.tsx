import type { ReactElement } from 'react';
import type { TracedLane } from '../../../server/src/admin/contract.ts';
import { reasonInWords } from '../format/reasons.ts';
import { StatusBadge, type Tone } from './status-badge.tsx';

type State = TracedLane['state'];

const TONES: Readonly<Record<State, Tone>> = {
  processed: 'good',
  failed: 'bad',
  filtered: 'off',
  retrying: 'warn',
  waiting: 'busy',
};

/** The state of a message at a destination, with the reason on hover. */
export function StateBadge(props: { readonly state: State; readonly reason: string | null }): ReactElement {
  return (
    <StatusBadge tone={TONES[props.state]} title={reasonInWords(props.reason) ?? undefined}>
      {props.state}
    </StatusBadge>
  );
}
