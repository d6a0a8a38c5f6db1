export const SOURCE_TYPES = ['web', 'mobile', 'server'] as const;

export type SourceType = (typeof SOURCE_TYPES)[number];

/** Where calls come from; its write key is what a client library is given. */
export interface Source {
  readonly id: string;
  readonly name: string;
  readonly type: SourceType;
  readonly writeKey: string;
  readonly enabled: boolean;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** The write key before the last rotation, with the time from which it is refused; null when there is none. */
  readonly oldKey: OldKey | null;
  /** Id of the audience or computed trait that sends under this source; absent where calls come from outside. */
  readonly sentBy?: string;
}

export interface OldKey {
  readonly writeKey: string;
  /** ISO 8601 UTC. */
  readonly until: string;
}

/** Whether a write key that was replaced is still taken, at a time in milliseconds since the epoch. */
export function isTaken(key: OldKey, now: number): boolean {
  return now < Date.parse(key.until);
}
