import type { FaultCode } from './fault.ts';

/** Refused calls that are alike, added up. */
export interface RejectionGroup {
  /** Null where the write key names no source. */
  readonly sourceId: string | null;
  readonly code: string;
  readonly message: string;
  /** The end of a write key that names no source, the rest masked; null where a source is known. */
  readonly key: string | null;
  /** Who sent it last; null where a source is known. */
  readonly address: string | null;
  readonly userAgent: string | null;
  /** The first 1 KiB of what was refused last. */
  readonly example: string;
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** In the place of a source's id where groups are asked for: those of keys that name none. */
export const UNKNOWN_KEYS = '';

/** Groups of one source that are kept, and of all keys that name none: those seen last. */
export const MOST_GROUPS = 100;

/** Groups of all sources that are read for a list or a search: those seen last. */
export const MOST_GROUPS_READ = 1_000;

/** What tells groups apart. */
export function groupId({ sourceId, code, message, key, address }: RejectionGroup): string {
  return JSON.stringify([sourceId, code, message, key, address]);
}

/** Of two groups that are one. */
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
