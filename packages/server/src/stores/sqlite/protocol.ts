/**
 * What crosses between the main thread and the store's threads: few large messages. Events cross as columns, so that the cost
 * is per commit and hardly per event. Delivery results cross as rows: they are mostly text, which costs more to make than to
 * send.
 */

export interface AppendColumns {
  /** Distinct ids of sources. `sourceOf` has the index of each event's source. */
  readonly sources: readonly string[];
  readonly sourceOf: Uint32Array;
  readonly receivedAt: Float64Array;
  readonly timestamps: Float64Array;
  /** Index into EVENT_TYPES. */
  readonly types: Uint8Array;
  readonly messageIds: readonly string[];
  readonly names: readonly (string | null)[];
  readonly userIds: readonly (string | null)[];
  /** See CarriedIds. */
  readonly anonymousIds: readonly (string | null)[];
  readonly previousIds: readonly (string | null)[];
  readonly integrations: readonly (string | null)[];
  readonly unsent: readonly (string | null)[];
  /** All bodies, one after the other. `ends` has the end of each. */
  readonly bodies: Uint8Array;
  readonly ends: Uint32Array;
}

/** A delivery result. The order of fields is the order of columns. */
export type ResultRow = readonly [
  destinationId: string,
  seq: number,
  lane: number,
  /** Index into DELIVERY_STATES. */
  state: number,
  reason: string | null,
  /** The attempts without their answers, and the answers, both as answers.ts writes them. */
  attempts: string,
  answers: string,
  rounds: number,
  firstAt: number | null,
  dueAt: number | null,
  /** JSON of `DeliveryResult.urlsLeft`. */
  urlsLeft: string | null,
  at: number,
];

export interface CommitRequest {
  readonly now: number;
  readonly appends: AppendColumns | null;
  readonly results: readonly ResultRow[];
  readonly positions: ReadonlyArray<readonly [lane: number, position: number]>;
}

export interface CommitResult {
  /** Seq of the first event that is not a duplicate. The following events have the next seqs, without gaps. */
  readonly firstSeq: number;
  readonly duplicates: readonly number[];
  /** Why the appends, and why the delivery results, were not committed; null if they were. */
  readonly appendError: StoreError | null;
  readonly settleError: StoreError | null;
  /** True if `tidy` has work to do. No caller has to wait for it. */
  readonly untidy: boolean;
  /** The partitions that exist now; null if they have not changed. */
  readonly partitions: readonly PartitionInfo[] | null;
}

export interface StoreError {
  readonly full: boolean;
  readonly message: string;
}

/** A partition: its file, when it began, and the first seq that it can contain. */
export interface PartitionInfo {
  readonly path: string;
  readonly startedAt: number;
  readonly firstSeq: number;
}
