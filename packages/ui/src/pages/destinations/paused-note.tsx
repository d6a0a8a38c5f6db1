import { Alert, Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconPlayerPause } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { OverviewDestination, Paused } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { useNow } from '../../components/clock.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { GlossaryTerm } from '../../glossary/glossary-term.tsx';
import { useMayChange } from '../../shell/session.ts';
import { PauseButton } from './pause-button.tsx';

const DAY = 86_400_000;

interface PausedNoteProps {
  readonly destination: OverviewDestination;
  readonly paused: Paused;
  /** Else each of its URLs is paused. */
  readonly isWhole: boolean;
}

/** While a destination stands still: since when, what it holds, and when the first of that is lost. */
export function PausedNote({ destination: { id, name }, paused, isWhole }: PausedNoteProps): ReactElement {
  const { since, held, oldest, expires } = paused;
  const mayChange = useMayChange();
  const now = useNow();
  const isUrgent = expires !== null && Date.parse(expires) - now < DAY;
  const [asking, { open, close }] = useDisclosure(false);
  const resume = useMutation(destinationsApi.resume());
  return (
    <Alert
      color={isUrgent ? 'red' : 'gray'}
      variant="light"
      icon={isUrgent ? <IconAlertTriangle aria-hidden /> : <IconPlayerPause aria-hidden />}
      title={
        <>
          Paused since <Time at={since} minutes />
        </>
      }
    >
      <Text size="sm">
        {held === 0 ? 'No message is ' : `${count(held)} ${held === 1 ? 'message is ' : 'messages are '}`}
        <GlossaryTerm name="held">held</GlossaryTerm>
        {oldest !== null && (
          <>
            , the oldest since <Time at={oldest} minutes />
          </>
        )}
        . Nothing is sent, and no retry window runs.
      </Text>
      {expires !== null && (
        <Text size="sm" fw={isUrgent ? 600 : undefined}>
          The oldest is lost <Time at={expires} />, at <Time at={expires} minutes />: then it has waited for as long as
          events are kept, and fails.
        </Text>
      )}
      {!isWhole && <Text size="sm">Each of its URLs is paused. Resume them in the list of URLs.</Text>}
      {mayChange && isWhole && (
        <Group gap="xs" mt="sm">
          <PauseButton id={id} name={name} isPaused />
          {held > 0 && (
            <Button variant="subtle" color="red" size="xs" onClick={open}>
              {discardWords(held)}
            </Button>
          )}
        </Group>
      )}
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Resume “${name}” without what it holds?`}
        action={discardWords(held)}
        onConfirm={() => resume.mutateAsync({ id, discard: true })}
      >
        What is held is recorded as filtered, not delivered, and “{name}” goes on with what comes from now on. A replay
        of all events can send them later, for as long as they are kept.
      </ConfirmDialog>
    </Alert>
  );
}

function discardWords(held: number): string {
  return `Discard ${count(held)} held ${held === 1 ? 'message' : 'messages'}`;
}
