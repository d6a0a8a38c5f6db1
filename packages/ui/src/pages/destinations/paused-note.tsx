import { Alert, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { OverviewDestination, Paused } from '../../../../server/src/admin/contract.ts';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayChange } from '../../shell/session.ts';
import { LostNote } from './lost-note.tsx';
import { DiscardButton, PauseButton } from './pause-button.tsx';

interface PausedNoteProps {
  readonly destination: OverviewDestination;
  readonly paused: Paused;
  /** Else each of its URLs is paused. */
  readonly isWhole: boolean;
}

/** While a destination stands still: since when, what it holds, and when the first of that is lost. */
export function PausedNote({ destination: { id, name, lostAt }, paused, isWhole }: PausedNoteProps): ReactElement {
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
            <DiscardButton
              id={id}
              pausedSince={since}
              name={name}
              action={`Discard ${count(held)} held ${held === 1 ? 'message' : 'messages'}`}
            >
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
