import type { OutcomeClass } from '../../core/delivery.ts';
import type { EventType } from '../../core/event.ts';
import type { DestinationStatus, LaneCounts } from './destination.ts';
import type { OverviewDestination, Stats } from './stats.ts';

/** One destination at one moment: every number of it is of the same. */
export interface DestinationOverview {
  at: string;
  destination: OverviewDestination;
  status: DestinationStatus;
  lanes: LaneCounts[];
  /** Of the time that was asked for. */
  stats: Stats;
  /** Attempts of the last hour, of each URL at which there were any. */
  urls: UrlAttempts[];
  /** Failed attempts of the last hour by URL and kind, most frequent first. */
  errors: DeliveryError[];
}

export interface UrlAttempts {
  url: string;
  attempts: number;
  failed: number;
  /** When the last attempt began that succeeded, and that failed; null when none did in the last hour. */
  lastSuccessAt: string | null;
  lastFailureAt: string | null;
}

/** Why something fails and what to do about it, in words. */
export interface FailureCause {
  title: string;
  advice: string;
  /** `temporary`: it is tried again. `permanent`: the message fails. */
  class: OutcomeClass;
}

export interface DeliveryError extends FailureCause {
  /** Empty where kinds were too many to be counted apart. */
  url: string;
  /** A status (`503`) or the code of an error (`timeout`). */
  kind: string;
  count: number;
  /** When the first and the last of them began, within the last hour. */
  firstAt: string;
  lastAt: string;
  /** The newest message that is not delivered and met this; null where none is known, and for observers. */
  sample: FailureSample | null;
}

export interface FailureSample {
  messageId: string;
  sourceId: string;
  userId: string | null;
  event: string | null;
  /** When the attempt began, or the message failed without one. */
  at: string;
  detail: string | null;
  /** First 1 KiB of the answer. */
  answer: string | null;
}

/** Failed messages by how they failed and what they are. */
export interface FailedGroups {
  groups: FailedGroup[];
  /** How many of the newest failed messages were looked at, and whether there are older ones. */
  looked: number;
  more: boolean;
}

export interface FailedGroup extends FailureCause {
  /** As a replay's filter takes it: a status, the code of an error, or the reason where there was no attempt. */
  error: string;
  type: EventType;
  /** Name of a track call's event. */
  event: string | null;
  count: number;
  /** When the last of them failed. */
  lastAt: string;
  sample: FailureSample;
}
