import type { RegulationStep, RegulationType } from '../../regulations/contract.ts';

export interface NewRegulation {
  regulationType: RegulationType;
  subjectType: 'USER_ID';
  subjectIds: string[];
  /** Only says what it would reach. */
  dryRun?: boolean;
}

/** What a regulation would reach: the answer to a dry run. */
export interface RegulationReach {
  /** Persons that the users are, and all ids they are known by. */
  persons: number;
  ids: number;
  /** Persons that have other user ids than those asked for, the first of them: what was known of these is deleted too. */
  others: { userId: string; others: string[] }[];
  /** Their events; where not all were looked through, at least so many. */
  events: { found: number; complete: boolean };
  sources: { sourceId: string; events: number }[];
  /** User ids asked for that no person and no event has, the first of them; null where not all events were looked through. */
  unknown: { count: number; first: string[] } | null;
}

export interface Regulation {
  id: string;
  regulationType: RegulationType;
  subjectType: 'USER_ID';
  status: 'running' | 'finished';
  /** What it does now. */
  step: RegulationStep;
  createdAt: string;
  finishedAt: string | null;
  users: number;
  /** Ids that their persons had; null until that is known. */
  ids: number | null;
  /** Events of the users that were found, and how many of them are removed. */
  events: { found: number; removed: number };
  /** Delete messages that were sent out, how many of them have ended, and how many of those failed. */
  notices: { total: number; ended: number; failed: number };
}

/** One delete message at one destination. */
export interface RegulationReceipt {
  destinationId: string;
  state: string;
  reason: string | null;
  at: string;
  attempts: { url: string; at: string; ms: number; status: number | null; error: string | null }[];
}

export interface RegulationSubject {
  userId: string;
  /** The sources that had seen the user. */
  sources: {
    sourceId: string;
    /** The user's events there that were removed. */
    events: number;
    /** Null before it is sent out, and where no destination of the source was on. */
    notice: {
      messageId: string;
      state: 'waiting' | 'delivered' | 'failed' | 'filtered';
      receipts: RegulationReceipt[];
    } | null;
  }[];
}

export interface RegulationDetails extends Regulation {
  subjects: RegulationSubject[];
  /** Give it as `cursor` to get more of the users; null on the last page. */
  next: string | null;
}

export interface RegulationReport {
  generatedAt: string;
  regulation: Regulation;
  subjects: RegulationSubject[];
}

export interface Suppression {
  userId: string;
  since: string;
}
