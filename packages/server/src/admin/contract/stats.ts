/** Statistics over time, for charts. Counted by the minute; exact counts are those of `Counts`. */
export interface Stats {
  from: string;
  to: string;
  /** Length of a bucket, seconds: 60, 300, 1800, 7200 or 86400, whatever gives at most 300 buckets. */
  step: number;
  buckets: StatsBucket[];
  /** The whole range, and the range of the same length before it (null where nothing is known of that). */
  total: StatsTotal;
  before: StatsTotal | null;
}

export interface StatsNumbers {
  /** Calls accepted from the sources asked for (for a destination: from its sources). */
  accepted: number;
  /** Deliveries that ended, by how. */
  processed: number;
  failed: number;
  filtered: number;
  /** Rounds after which a message was put on the shelf. */
  retried: number;
  /** Requests that were sent, and those of them that failed. */
  attempts: number;
  attemptsFailed: number;
}

export interface StatsBucket extends StatsNumbers {
  /** Its beginning. */
  at: string;
  /** Milliseconds from acceptance to delivery, of what was processed; null when nothing was. Within 10 %. */
  p50: number | null;
  p95: number | null;
}

export interface StatsTotal extends StatsNumbers {
  p50: number | null;
  p95: number | null;
}

/** All destinations at a glance; exact counts, and the last hour's statistics. Those that need attention come first. */
export interface Overview {
  /** The moment it is of. */
  at: string;
  /** What is wrong, gravest first; empty when nothing was found. */
  problems: OverviewProblem[];
  /** The checks of `/health/ready` that were made for it, by name. */
  checks: string[];
  counts: OverviewCounts;
  /** Events accepted a second, mean of the last 10 s. */
  perSecond: number;
  /** Of the time that was asked for; null when none was. */
  stats: Stats | null;
  destinations: OverviewDestination[];
  sources: OverviewSource[];
}

/**
 * `destination`: one that is failing or degraded. `rejections`: a source, of whose calls of the last hour at least 1 % were
 * refused, or write keys that no source has (`id` is empty). `replay`: the newest of a destination in the last 24 hours, when messages of it failed again. `service`: a check of
 * `/health/ready`.
 */
export interface OverviewProblem {
  kind: 'destination' | 'rejections' | 'replay' | 'service';
  severity: 'failing' | 'degraded';
  /** Of the destination or of the source; the name of the check. */
  id: string;
  name: string;
  /** What is wrong, in a sentence. */
  title: string;
  /** What was met most often, and what to do about it; null where that is not known. */
  cause: string | null;
  advice: string | null;
  /** When what was met most often was first met in the last hour; for refused calls ever; when a replay began. */
  since: string | null;
}

/** Summed over all destinations. */
export interface OverviewCounts {
  accepted: number;
  processed: number;
  failed: number;
  filtered: number;
  waiting: number;
  retrying: number;
}

/**
 * Judged by attempts. `failing`: sending is paused, or of the rounds of the last 5 minutes in which something was tried less
 * than half succeeded, however long ago that was. `degraded`: a URL is stalled, more waits than was delivered in 5 minutes
 * and for longer than that, or fewer than 99 % of the last hour's rounds succeeded. `idle`: on, and nothing was tried in the
 * last hour.
 */
export type DestinationHealth = 'healthy' | 'degraded' | 'failing' | 'idle' | 'off';

export interface OverviewDestination {
  id: string;
  name: string;
  type: string;
  /** The sources whose events it takes. */
  sourceIds: string[];
  urls: number;
  health: DestinationHealth;
  /** Why it is not healthy, in a few words; null when it is. */
  reason: string | null;
  counts: OverviewCounts;
  /** The last hour. */
  lastHour: StatsTotal;
  /** When the oldest event that still waits was received; null when none waits. */
  oldestWaitingAt: string | null;
  /** When a message was last delivered; null when none was within what is kept. */
  lastDeliveredAt: string | null;
  /** When a round of attempts last ended; null when none did within what is kept. */
  lastTriedAt: string | null;
}

export interface OverviewSource {
  id: string;
  name: string;
  type: string;
  enabled: boolean;
  /** Id of the audience or computed trait that sends under it; null where calls come from outside. */
  sentBy: string | null;
  /** The last hour. */
  accepted: number;
  rejected: number;
  /** When the last event was accepted; null when none was within what is kept. */
  lastEventAt: string | null;
}
