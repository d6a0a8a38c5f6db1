/**
 * Why a message failed or was filtered: the state it is recorded with, and what it means. The table of docs/delivery.md and
 * the words of the interface are made of it. Codes are stable: they are never renamed, only added.
 */
export const REASONS = {
  rejected: { state: 'failed', means: 'Every URL refused it for good.' },
  rejected_by_one: { state: 'failed', means: 'A URL refused it for good, and the destination asks for all.' },
  window_ended: {
    state: 'failed',
    means: 'Its retry window ended before a URL, or each where the destination asks for all, had taken it.',
  },
  retention_ended: {
    state: 'failed',
    means:
      'It waited longer than events are kept. On a single node a replay can send it until it is removed, within about a day. In a cluster it is gone.',
  },
  destination_disabled: { state: 'filtered', means: 'The destination was switched off or deleted.' },
  source_disconnected: {
    state: 'filtered',
    means:
      'The source was disconnected from the destination before its turn came. Delete messages go out all the same.',
  },
  integrations: {
    state: 'filtered',
    means: "The call's “integrations” said no to this kind of destination, or to all.",
  },
  track_filter: { state: 'filtered', means: "The destination's track filter left the event's name out." },
  condition: { state: 'filtered', means: "The destination's filter left the call out." },
  consent: { state: 'filtered', means: 'The user has not consented to what the destination is for.' },
  too_old: { state: 'filtered', means: 'It had happened longer ago than the destination takes when it was accepted.' },
  discarded: {
    state: 'filtered',
    means: 'It was held while the destination stood still, and was discarded on demand.',
  },
  url_removed: {
    state: 'filtered',
    means: 'A replay was to send it to one URL, which the destination no longer has.',
  },
  user_deleted: {
    state: 'filtered',
    means: 'The user was deleted while the message waited; nothing of it is left.',
  },
} as const;

type Table = typeof REASONS;

type ReasonOf<S> = { [R in keyof Table]: Table[R]['state'] extends S ? R : never }[keyof Table];

export type FailReason = ReasonOf<'failed'>;

/** Why an event is not delivered to a destination. A deletion records `user_deleted` by itself. */
export type FilterReason = Exclude<ReasonOf<'filtered'>, 'user_deleted'>;

/** A reason as it is recorded: some reasons are followed by the clause of the settings that caused them. */
export type RecordedReason = FilterReason | `${FilterReason}:${string}`;

/** The recorded form of a reason and the clause of the settings that caused it. */
export function withClause<R extends FilterReason>(reason: R, clause: string): `${R}:${string}` {
  return `${reason}:${clause.slice(0, LONGEST_CLAUSE).toWellFormed()}`;
}

/** The parts of a recorded reason; no code has a colon. The clause has the words of that time: the settings may have changed since. */
export function reasonParts(recorded: string | null): {
  readonly reason: string | null;
  readonly clause: string | null;
} {
  const at = recorded?.indexOf(':') ?? -1;
  if (recorded === null || at < 0) return { reason: recorded, clause: null };
  return { reason: recorded.slice(0, at), clause: recorded.slice(at + 1) };
}

const LONGEST_CLAUSE = 200;
