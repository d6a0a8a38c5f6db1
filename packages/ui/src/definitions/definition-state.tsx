import type { ReactElement } from 'react';
import { StatusBadge } from '../components/status-badge.tsx';
import { share } from '../format/number.ts';
import type { Defined } from './kinds.ts';

const ABOUT = {
  live: 'Every change is followed as it happens',
  computing: 'All persons are being checked',
  syncing: 'A call is being sent for each person in it again',
};

/** What it does, and how much of it is done. */
export function DefinitionState({ state, progress }: Pick<Defined, 'state' | 'progress'>): ReactElement {
  const done = progress === null || progress === 0 ? '' : ` ${share(Math.floor(progress * 1_000) / 1_000, 1)}`;
  return (
    <StatusBadge tone={state === 'live' ? 'good' : 'busy'} title={ABOUT[state]}>
      {state}
      {done}
    </StatusBadge>
  );
}
