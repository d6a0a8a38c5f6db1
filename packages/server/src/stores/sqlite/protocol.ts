/**
 * What crosses between the main thread and the store's threads: few, large messages. Events are columns, so that the cost of
 * crossing is per commit and hardly per event; what became of them is mostly text that costs more to make.
 */

export interface AppendColumns {
  /** Distinct ids of sources; `sourceOf` points into it. */
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
  /** All bodies, one after the other; `ends` says where each ends. */
  readonly bodies: Uint8Array;
  readonly ends: Uint32Array;
}

/** What became of an event, in the order of its row. */
export type ResultRow = readonly [
  destinationId: string,
  seq: number,
  lane: number,
  /** Place in DELIVERY_STATES. */
  state: number,
  reason: string | null,
  /** As answers.ts writes them, without their answers; and those. */
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
  /** Seq of the first event that was not a duplicate; the others follow without gaps. */
  readonly firstSeq: number;
  readonly duplicates: readonly number[];
  /** Why the appends, and why the delivery results, were not committed; null where they were. */
  readonly appendError: StoreError | null;
  readonly settleError: StoreError | null;
  /** The writer has work of its own to do, which no caller needs to wait for. */
  readonly untidy: boolean;
  /** The files there are now, when that changed. */
  readonly partitions: readonly PartitionInfo[] | null;
}

export interface StoreError {
  readonly full: boolean;
  readonly message: string;
}

/** A partition: its file, when it began, and the first seq it can hold. */
export interface PartitionInfo {
  readonly path: string;
  readonly startedAt: number;
  readonly firstSeq: number;
}
