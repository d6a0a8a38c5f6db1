import { IconRepeat } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Trace, TracedLane } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { IdleButton } from '../../components/idle-button.tsx';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';

interface SendAgainProps {
  readonly trace: Trace;
  readonly lane: TracedLane;
  /** Of the destination. */
  readonly name: string;
}

/** Sends this message to this destination once more. What goes out anyway can't be. */
export function SendAgain({ trace: { messageId, sourceId, userId }, lane, name }: SendAgainProps): ReactElement | null {
  const send = useMutation(messagesApi.sendAgain());
  const goesOut = lane.state === 'waiting' || lane.state === 'retrying';
  if (!useMayChange()) return null;
  const again = (): void =>
    send.mutate(
      { messageId, sourceId, userId: userId ?? undefined, destinationId: lane.destinationId },
      {
        onSuccess: () => notifyDone(`It goes to “${name}” again.`),
        onError: notifyFailed(`It was not sent to “${name}” again`),
      },
    );
  return (
    <IdleButton
      idle={goesOut}
      why="It still waits and is sent without a click"
      variant="default"
      size="xs"
      leftSection={<IconRepeat size={14} aria-hidden />}
      loading={send.isPending}
      onClick={again}
    >
      Send again
    </IdleButton>
  );
}
