import {
  IconCheck,
  IconCircleDashed,
  IconCircleHalf2,
  IconClock,
  IconFilter,
  IconRefresh,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { EventOutcome } from '../../../server/src/admin/contract.ts';
import { StatusBadge, type Tone } from './status-badge.tsx';

interface Sign {
  readonly tone: Tone;
  readonly icon: TablerIcon;
  readonly word: string;
  readonly title: string;
}

const SIGNS: Readonly<Record<EventOutcome, Sign>> = {
  delivered: { tone: 'good', icon: IconCheck, word: 'delivered', title: 'Every destination that wants it has it' },
  partly: {
    tone: 'bad',
    icon: IconCircleHalf2,
    word: 'partly',
    title: 'Delivered to one destination or more, failed at another',
  },
  failed: { tone: 'bad', icon: IconX, word: 'failed', title: 'Failed at one destination or more, delivered to none' },
  retrying: { tone: 'warn', icon: IconRefresh, word: 'retrying', title: 'A destination failed and is tried again' },
  waiting: { tone: 'busy', icon: IconClock, word: 'waiting', title: 'Its turn has not come at a destination' },
  filtered: { tone: 'off', icon: IconFilter, word: 'filtered', title: 'No destination wants it' },
  none: {
    tone: 'idle',
    icon: IconCircleDashed,
    word: 'no destination',
    title: 'Its source was connected to no destination',
  },
};

/** What became of a message at all destinations together: a word and a sign. */
export function OutcomeBadge({ outcome }: { readonly outcome: EventOutcome }): ReactElement {
  const { tone, icon: Icon, word, title } = SIGNS[outcome];
  return (
    <StatusBadge tone={tone} title={title} sign={<Icon size={13} stroke={2.5} aria-hidden />}>
      {word}
    </StatusBadge>
  );
}
