import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { Time, Until } from '../../components/time.tsx';

interface LostNoteProps {
  /** When the oldest message that waits will have been kept for as long as events are; null shows nothing. */
  readonly at: string | null;
  readonly isUrgent: boolean;
}

/** When the first of what waits is lost. */
export function LostNote({ at, isUrgent }: LostNoteProps): ReactElement | null {
  if (at === null) return null;
  return (
    <Text fw={isUrgent ? 600 : undefined}>
      <Until at={at} then="The oldest is lost at any moment">
        The oldest is lost <Time at={at} />, at <Time at={at} minutes />
      </Until>
      : then it has waited for as long as events are kept, and fails.
    </Text>
  );
}
