import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle, IconPlayerPause } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type {
  DestinationHealth,
  DestinationOverview,
  OverviewDestination,
  Paused,
} from '../../../../server/src/admin/contract.ts';
import { Time, Until } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DiscardButton, PauseButton } from './pause-button.tsx';

const COLORS = { failing: 'red', degraded: 'yellow', idle: 'gray', off: 'gray' } as const;

const NEXT: Readonly<Record<Extract<DestinationHealth, 'idle' | 'off'>, string>> = {
  idle: 'Either no call came from its sources, or all of them were filtered.',
  off: 'New events are recorded as filtered. Switch it on to deliver again. A replay of all events sends what was missed.',
};

const UNCONNECTED = 'No source is connected to it, so no event comes. Choose sources in its settings.';

/** Why a destination is not healthy, since when, and what happens to its messages. Renders nothing if it is healthy. */
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
          endpoint can recover. The next try is{' '}
          <Until at={status.probeAt} then="due now">
            <Time at={status.probeAt} />
          </Until>
          , of one message.
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
              {status.breaker !== 'closed' &&
                ' While sending is paused, one that was never tried fails too, once it has waited that long.'}{' '}
              A delete message has no such window.
              {isHeldUp && ' What waits for a URL that is paused is held, and its window does not run.'}
            </>
          )}
        </Text>
      )}
      <LostNote at={destination.lostAt} isUrgent />
    </Alert>
  );
}

interface PausedNoteProps {
  readonly destination: OverviewDestination;
  readonly paused: Paused;
  /** True: the destination is paused. False: each of its URLs is paused. */
  readonly isWhole: boolean;
}

/** Shown while a destination, or each of its URLs, is paused: since when, how many messages it holds, and when the first of them is lost. */
function PausedNote({ destination: { id, name, lostAt }, paused, isWhole }: PausedNoteProps): ReactElement {
  const { since, held, oldest, expires } = paused;
  const mayChange = useMayChange();
  const isUrgent = lostAt !== null;
  return (
    <Alert
      color={isUrgent ? 'red' : 'gray'}
      icon={isUrgent ? <IconAlertTriangle aria-hidden /> : <IconPlayerPause aria-hidden />}
      title={
        <>
          Paused since <Time at={since} minutes />
        </>
      }
    >
      <Text>
        {held === 0 ? 'No message is ' : `${count(held)} ${held === 1 ? 'message is ' : 'messages are '}`}
        <GlossaryTerm name="held">held</GlossaryTerm>
        {oldest !== null && (
          <>
            , the oldest since <Time at={oldest} minutes />
          </>
        )}
        . Nothing is sent, and no retry window runs.
      </Text>
      <LostNote at={expires} isUrgent={isUrgent} />
      {!isWhole && <Text>Each of its URLs is paused. Resume them in the list of URLs.</Text>}
      {mayChange && isWhole && (
        <Group gap="xs" mt="sm">
          <PauseButton id={id} name={name} pausedSince={since} />
          {held > 0 && (
            <DiscardButton id={id} pausedSince={since} name={name}>
              What is held is recorded as filtered, not delivered, and “{name}” goes on with what comes from now on. A
              replay of all events can send them later, for as long as they are kept. What a replay has put there and
              was not tried since is sent all the same, and so are delete messages.
            </DiscardButton>
          )}
        </Group>
      )}
    </Alert>
  );
}

interface LostNoteProps {
  /** When the oldest waiting message reaches the age at which events are deleted; null shows nothing. */
  readonly at: string | null;
  readonly isUrgent: boolean;
}

/** When the first waiting message is lost. */
function LostNote({ at, isUrgent }: LostNoteProps): ReactElement | null {
  if (at === null) return null;
  return (
    <Text fw={isUrgent ? 600 : undefined}>
      <Until at={at} then="The oldest is lost at any moment">
        The oldest is lost <Time at={at} />, at <Time at={at} minutes />
      </Until>
      : then it has waited for as long as events are kept, and fails. Only a delete message may wait longer.
    </Text>
  );
}
