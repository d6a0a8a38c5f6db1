/** What one request and one call may hold (contract 8.5). Sizes are bytes of JSON, after decompression. */
export const LIMITS = {
  callBytes: 32_768,
  batchBytes: 512_000,
  /**
   * Bytes that gzip may add to a body that it makes no smaller: 5 for each stored block, of which zlib makes 63 of a full batch
   * where it has least memory, 18 around them, and the name of a file.
   */
  packingBytes: 1_024,
  batchCalls: 2_500,
  messageIdCharacters: 100,
  /**
   * Characters of a call's message. A message may be longer than its call: numbers are written out (`1e20` has 21 digits), and
   * integrations and traits in the context may be carried twice.
   */
  messageCharacters: 98_304,
  /**
   * Characters that a batch may merge into all its calls together. Fields of the batch are written into each call: without this
   * limit 500 KB could become a gigabyte. No honest batch comes near it.
   */
  mergedCharacters: 4_096_000,
  /** Keys of a batch that may be merged one by one into all its calls together: those of objects that share a key with the call's. */
  mergedKeys: 16_000,
  /** Names in the integrations of a batch: each takes several steps to merge. */
  batchIntegrations: 4_096,
  /** Elements and fields of objects in one call: no more fit into its bytes. */
  callValues: 16_384,
  /** Refused calls of a batch whose JSON is kept to be shown: a source keeps no more. */
  shownRefusals: 100,
} as const;

/** Most bytes of a decompressed body, and the code of the refusal of a larger one. */
export interface BodyLimit {
  readonly bytes: number;
  readonly code: 'too_large' | 'call_too_large';
}

export const CALL_LIMIT: BodyLimit = { bytes: LIMITS.callBytes, code: 'call_too_large' };
export const BATCH_LIMIT: BodyLimit = { bytes: LIMITS.batchBytes, code: 'too_large' };
