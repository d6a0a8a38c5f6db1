import type { SourceType } from '../../core/source.ts';

/** How much a source may send; null for no bound. */
export interface Quota {
  eventsPerSecond: number | null;
  bytesPerSecond: number | null;
  eventsPerDay: number | null;
}

export interface Source {
  id: string;
  name: string;
  type: SourceType;
  writeKey: string;
  enabled: boolean;
  createdAt: string;
  /** The key before the last rotation, while it is still taken; null when there is none. */
  oldKey: OldKey | null;
  /** Origins whose pages may send; empty for any. */
  allowedOrigins: string[];
  /** How much it may send; null for what its type may. */
  quota: Quota | null;
  /** The quota in force. */
  limits: Quota;
  /** Id of the audience or computed trait that sends under it, and alone changes it; null where calls come from outside. */
  sentBy: string | null;
  /** One more with every change; its `ETag`. */
  revision: number;
}

export interface OldKey {
  writeKey: string;
  /** From then on it is refused. */
  until: string;
}

export interface KeyRotation {
  /** Hours that the old key is still taken beside the new one, 0 to 720; default 0. */
  overlapHours?: number;
}

export interface NewSource {
  name: string;
  type: SourceType;
  enabled?: boolean;
  /** For moving an installation: the key that clients already carry. Made when absent. */
  writeKey?: string;
  allowedOrigins?: string[];
  quota?: Quota | null;
}

export interface SourceChange {
  name?: string;
  type?: SourceType;
  enabled?: boolean;
  allowedOrigins?: string[];
  /** Null for what its type may. */
  quota?: Quota | null;
}

/** Since the source's first call; `rejected` since this process started. */
export interface SourceTotals {
  accepted: number;
  duplicates: number;
  rejected: number;
  /** Ids that its calls named together and that were not joined; counted up to 10,000. */
  notJoined: number;
}

/** A call or a whole request that the collection API refused. */
export interface Rejection {
  at: string;
  code: string;
  message: string;
  /** The beginning of what was refused, as text. */
  part: string;
}

/** Refused calls that are alike, kept over restarts. */
export interface RejectionGroup {
  /** Null where the write key names no source. */
  sourceId: string | null;
  code: string;
  message: string;
  /** The end of a write key that names no source, the rest masked; null where a source is known. */
  key: string | null;
  /** Who sent it last; null where a source is known. */
  address: string | null;
  userAgent: string | null;
  /** The beginning of what was refused last, as text. */
  example: string;
  count: number;
  firstAt: string;
  lastAt: string;
}
