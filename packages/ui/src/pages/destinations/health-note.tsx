import { Alert, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { DestinationHealth, DestinationOverview } from '../../../../server/src/admin/contract.ts';
import { Time, Until } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { LostNote } from './lost-note.tsx';
import { PausedNote } from './paused-note.tsx';

const COLORS = { failing: 'red', degraded: 'yellow', idle: 'gray', off: 'gray' } as const;

const NEXT: Readonly<Record<Extract<DestinationHealth, 'idle' | 'off'>, string>> = {
  idle: 'Either no call came from its sources, or all of them were filtered.',
  off: 'New events are recorded as filtered. Switch it on to deliver again. A replay of all events sends what was missed.',
};

const UNCONNECTED = 'No source is connected to it, so no event comes. Choose sources in its settings.';

/** Why a destination is not healthy, since when, and what becomes of its messages; nothing where it is. */
export function HealthNote({ destination, status, errors }: DestinationOverview): ReactElement | null {
  const { health, reason, counts, paused, sourceIds } = destination;
  if (health === 'healthy') return null;
  if (health === 'paused')
    return paused && <PausedNote destination={destination} paused={paused} isWhole={status.pausedSince !== null} />;
  if (health === 'idle' || health === 'off') {
    return (
      <Alert color={COLORS[health]} title={reason} icon={<IconInfoCircle aria-hidden />}>
        {health === 'idle' && sourceIds.length === 0 ? UNCONNECTED : NEXT[health]}
      </Alert>
    );
  }
  const isHeldUp = status.urls.some(({ pausedSince }) => pausedSince !== null);
  const isRefused = errors.length > 0 && errors.every((error) => error.class === 'permanent');
  return (
    <Alert color={COLORS[health]} title={reason} icon={<IconAlertTriangle aria-hidden />}>
      {status.breaker === 'open' && (
        <Text>
          Millrace has paused sending (the <GlossaryTerm name="breaker">breaker</GlossaryTerm> is open), so that the
          endpoint can recover. The next try, of one message, is{' '}
          <Until at={status.probeAt} then="due now">
            <Time at={status.probeAt} />
          </Until>
          .
        </Text>
      )}
      {status.breaker === 'probing' && <Text>Millrace has paused sending, and tries one message now.</Text>}
      <Text>
        Last delivered: <Time at={destination.lastDeliveredAt} otherwise="never" />. Last attempt:{' '}
        <Time at={destination.lastTriedAt} otherwise="none" />.
      </Text>
      {counts.failed > 0 && (
        <Text>
          {count(counts.failed)} {counts.failed === 1 ? 'message has' : 'messages have'} failed
          {isRefused && ': the endpoint refuses them for good, so they are not tried again'}. They are kept as long as
          events are, and can be sent again.
        </Text>
      )}
      {counts.waiting > 0 && (
        <Text>
          {count(counts.waiting)} {counts.waiting === 1 ? 'event waits' : 'events wait'}, the oldest since{' '}
          <Time at={destination.oldestWaitingAt} absolute />.{' '}
          {status.held ? (
            'No retry window runs meanwhile.'
          ) : (
            <>
              Each is tried until its <GlossaryTerm name="retry window">retry window</GlossaryTerm> ends; then it fails.
              {isHeldUp && ' What waits for a URL that is paused is held, and its window does not run.'}
            </>
          )}
        </Text>
      )}
      <LostNote at={destination.lostAt} isUrgent />
    </Alert>
  );
}
