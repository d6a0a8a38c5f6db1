import { Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { TracedLane } from '../../../../server/src/admin/contract.ts';
import { Time, Until } from '../../components/time.tsx';
import { madeOf } from '../../format/attempts.ts';
import { many } from '../../format/number.ts';
import { NO_ATTEMPT, reasonInWords } from '../../format/reasons.ts';

/** The state of the message, the reason, and the next step, in words. */
export function LaneVerdict({ lane }: { readonly lane: TracedLane }): ReactElement {
  return (
    <Text c="dimmed">
      <Verdict {...lane} />
    </Text>
  );
}

/** Why no attempt is made at the moment. */
export const HELD = {
  resume: 'Held: it goes out when what is paused is resumed.',
  permission:
    'Held: it goes to this machine, which is not allowed since the service was started. An admin allows it on the overview.',
} as const;

function Verdict({
  state,
  reason,
  clause,
  rounds,
  nextAttemptAt,
  updatedAt,
  heldFor,
  probeAt,
  isQueued,
  attempts,
}: TracedLane): ReactElement {
  const hold = heldFor ? HELD[heldFor] : probeAt && <Paused until={probeAt} />;
  const inRounds = rounds === 1 ? 'in the first round' : `in round ${rounds}`;
  switch (state) {
    case 'waiting':
      return <>{hold ?? 'Its turn has not come, or the first request is under way.'}</>;
    case 'processed':
      return (
        <>
          Delivered <Time at={updatedAt} />, {inRounds}.
        </>
      );
    case 'retrying':
      return (
        <>
          {isQueued &&
            'An earlier call of its user is tried again: it goes out after that, or at the end of the longest hold. '}
          {rounds > 0 && !isQueued && `Tried in ${many(rounds, 'round')}. `}
          {hold ?? (!isQueued && <NextAttempt at={nextAttemptAt} />)}
        </>
      );
    case 'failed':
    case 'filtered':
      return (
        <>
          {reasonInWords(reason)} {clause !== null && <code>({clause})</code>}{' '}
          {reason === 'window_ended' && madeOf(attempts) === 0 && `${NO_ATTEMPT} `}That was <Time at={updatedAt} />.
        </>
      );
    default:
      return state satisfies never;
  }
}

/** Shown while the breaker is open. */
function Paused({ until }: { readonly until: string }): ReactElement {
  return (
    <>
      Millrace has paused sending to this destination: no attempt succeeded for a while. The next try is{' '}
      <Until at={until} then="due now">
        <Time at={until} />
      </Until>
      , of one message.
    </>
  );
}

/** Counts down to the next attempt. A message that is due but not sent waits for others. */
function NextAttempt({ at }: { readonly at: string | null }): ReactNode {
  if (at === null) return 'Next attempt soon';
  const due = (
    <>
      It was due <Time at={at} />, and goes out when the destination has room.
    </>
  );
  return (
    <Until at={at} then={due}>
      Next attempt <Time at={at} />
    </Until>
  );
}
