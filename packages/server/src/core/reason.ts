/**
 * Why a message failed or was filtered: the state it is recorded with, and what it means. The table of docs/delivery.md and
 * the words of the interface are made of it. Codes are stable: they are never renamed, only added.
 */
export const REASONS = {
  rejected: { state: 'failed', means: 'Every URL refused it for good.' },
  rejected_by_one: { state: 'failed', means: 'A URL refused it for good, and the destination asks for all.' },
  window_ended: {
    state: 'failed',
    means:
      'The retry window ended without a success; of a destination that asks for all URLs, before each had taken it.',
  },
  retention_ended: { state: 'failed', means: 'It waited longer than events are kept, and is gone.' },
  destination_disabled: { state: 'filtered', means: 'The destination was switched off.' },
  source_disconnected: {
    state: 'filtered',
    means: 'The source was disconnected from the destination before its turn came.',
  },
  integrations: {
    state: 'filtered',
    means: "The call's “integrations” said no to this kind of destination, or to all.",
  },
  track_filter: { state: 'filtered', means: "The destination's track filter left the event's name out." },
  too_old: { state: 'filtered', means: 'It had happened longer ago than the destination takes when it was accepted.' },
  discarded: {
    state: 'filtered',
    means: 'It was held while the destination stood still, and was discarded on demand.',
  },
  user_deleted: {
    state: 'filtered',
    means: 'The user was deleted while the message waited; nothing of it is left.',
  },
} as const;

type Table = typeof REASONS;

type ReasonOf<S> = { [R in keyof Table]: Table[R]['state'] extends S ? R : never }[keyof Table];

export type FailReason = ReasonOf<'failed'>;

/** Why an event is not delivered to a destination. A deletion has its own way to say so. */
export type FilterReason = Exclude<ReasonOf<'filtered'>, 'user_deleted'>;
