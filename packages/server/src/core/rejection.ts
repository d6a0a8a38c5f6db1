import type { FaultCode } from './fault.ts';

/** Refused calls of one source, code and message, counted together. */
export interface RejectionGroup {
  /** Null where the write key names no source. */
  readonly sourceId: string | null;
  readonly code: string;
  readonly message: string;
  /** The end of a write key that names no source, the rest masked; null where a source is known. */
  readonly key: string | null;
  /** Address and agent of the last sender; null where a source is known. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The first 1 KiB of the last refused call. */
  readonly example: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** Stands for a source's id in a question about calls whose write key names no source. */
export const UNKNOWN_KEYS = '';

/** Most groups kept of one source, and of all unknown write keys together: those seen last. */
export const MOST_GROUPS = 100;

/** Most groups of all sources that a list or a search reads: those seen last. */
export const MOST_GROUPS_READ = 1_000;

/** The values by which groups are told apart, as one text. */
export function groupId({ sourceId, code, message, key, address }: RejectionGroup): string {
  return JSON.stringify([sourceId, code, message, key, address]);
}

/** Two records of one group as one. */
export function addedUp(before: RejectionGroup | undefined, group: RejectionGroup): RejectionGroup {
  if (!before) return group;
  return { ...group, count: before.count + group.count, firstAt: Math.min(before.firstAt, group.firstAt) };
}

/** A refused request whose write key names no source. */
export interface UnknownKey {
  readonly at: number;
  readonly code: FaultCode;
  readonly message: string;
  readonly writeKey: string;
  readonly address: string;
  readonly userAgent: string;
}
