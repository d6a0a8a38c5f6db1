import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TestedUrl } from '../../../../server/src/admin/contract.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { duration } from '../../format/number.ts';
import { TONES } from '../messages/tone-of.ts';

/** A URL's answer to a test, and how long it took. */
export function TestedBadge({ class: outcome, status, error, ms }: TestedUrl): ReactElement {
  return (
    <>
      <StatusBadge tone={TONES[outcome]}>{status ?? error}</StatusBadge>
      <Text span c="dimmed">
        {duration(ms)}
      </Text>
    </>
  );
}
