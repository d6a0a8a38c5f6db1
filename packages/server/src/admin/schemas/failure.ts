import type { Static } from 'typebox';
import { outcomeClass } from './delivery.ts';
import { DestinationStatus, LaneCounts } from './destination-status.ts';
import { count, eventType, id, position, textOrNull, time, timeOrNull, whole } from './field.ts';
import { answer, described, flag, list, nullable, object, text } from './shape.ts';
import { OverviewDestination, Stats } from './stats.ts';

/** The cause of a failure and the advice, in words. */
const cause = { title: text(), advice: text('What to do'), class: outcomeClass };

export type FailureSample = Static<typeof FailureSample>;
export const FailureSample = answer('FailureSample', {
  position,
  messageId: text(),
  sourceId: id,
  userId: textOrNull,
  event: textOrNull,
  at: described(time, 'When the attempt began, or the message failed without one'),
  url: described(textOrNull, 'Of the attempt, as it was then; null without one'),
  detail: textOrNull,
  answer: described(textOrNull, 'First 1 KiB of the answer'),
});

export type DeliveryError = Static<typeof DeliveryError>;
export const DeliveryError = answer('DeliveryError', {
  ...cause,
  webhookId: text('Empty where kinds were too many to be counted apart'),
  url: text('As it is now; empty too where the destination has it no more'),
  kind: text({ description: 'A status or the code of an error', examples: ['503', 'timeout'] }),
  count,
  firstAt: described(time, 'When the first of them began, within the last hour'),
  lastAt: time,
  sample: nullable(
    FailureSample,
    'The newest message that is not delivered and met this; null where none is known, and for observers',
  ),
});

export type UrlAttempts = Static<typeof UrlAttempts>;
export const UrlAttempts = object({
  id,
  url: text(),
  attempts: count,
  failed: count,
  lastSuccessAt: described(timeOrNull, 'When the last attempt began that succeeded; null when none did'),
  lastFailureAt: timeOrNull,
});

export type DestinationOverview = Static<typeof DestinationOverview>;
export const DestinationOverview = answer(
  'DestinationOverview',
  {
    at: time,
    destination: OverviewDestination,
    status: DestinationStatus,
    lanes: list(LaneCounts),
    stats: described(Stats, 'Of the time that was asked for'),
    urls: list(UrlAttempts, 'Of the last hour, of each URL of the destination at which there were any'),
    errors: list(DeliveryError, 'Failed attempts of the last hour by URL and kind, most frequent first'),
  },
  'One destination, read at once. While messages flow, numbers may differ by what happened between two reads',
);

export type FailedGroup = Static<typeof FailedGroup>;
export const FailedGroup = object({
  ...cause,
  error: text(
    "As a replay's filter takes it: a status, the code of an error, or the reason where there was no attempt",
  ),
  type: eventType,
  event: described(textOrNull, "Name of a track call's event"),
  count,
  lastAt: described(time, 'When the last of them failed'),
  sample: FailureSample,
});

export type FailedGroups = Static<typeof FailedGroups>;
export const FailedGroups = answer(
  'FailedGroups',
  {
    groups: list(FailedGroup),
    looked: whole(0, 'How many of the newest failed messages were looked at'),
    more: flag('There are older ones'),
  },
  'Failed messages by how they failed and what they are',
);
