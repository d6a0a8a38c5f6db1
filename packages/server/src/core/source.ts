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
  /** Id of the audience or computed trait that sends under this source; absent where calls come from outside. */
  readonly sentBy?: string;
}
