import type { Static } from 'typebox';
import { duration } from './destination.ts';
import { whole } from './field.ts';
import { answer, closed, described, flag, list, object, optionals } from './shape.ts';

const ms = whole(0, 'Milliseconds');

export type RetrySchedule = Static<typeof RetrySchedule>;
export const RetrySchedule = answer(
  'RetrySchedule',
  {
    window: described(ms, 'From the first round to the last, milliseconds'),
    base: described(ms, 'Longest wait before the second round, milliseconds; it doubles with each round'),
    cap: described(ms, 'Longest wait of all, milliseconds'),
    rounds: list(
      object({
        round: whole(2, 'The first is at once'),
        ...{ waitAtLeast: ms, waitAtMost: ms, sinceFirstAtLeast: ms, sinceFirstAtMost: ms },
      }),
      'The second and those after it, up to the last or the 12th. What is at the end of the window is the last',
    ),
    more: flag('There are more than these: waits grow to `cap`, and the last round is at the end of the window'),
  },
  'When a message that no URL takes is tried again, where endpoints answer at once and ask for no wait',
);

export const scheduleQuery = closed(
  optionals({ retryWindow: duration('Of a policy that is not saved yet; that of the process where it is absent') }),
);
