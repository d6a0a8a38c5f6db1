/** What one request and one call may hold (contract 8.5). Sizes are bytes of JSON, after decompression. */
export const LIMITS = {
  callBytes: 32_768,
  batchBytes: 512_000,
  batchCalls: 2_500,
  messageIdCharacters: 100,
  /**
   * Characters of a call's message. Numbers are written out (`1e20` becomes 21 digits), and integrations and traits in the
   * context may be carried in two places, so a message may be longer than its call.
   */
  messageCharacters: 98_304,
  /**
   * Characters that a batch may merge into all its calls together. What a batch says for all its calls is written into each
   * of them: without this, 500 KB could become a gigabyte. No batch that is meant well comes near it.
   */
  mergedCharacters: 4_096_000,
  /** Keys of a batch that may be merged one by one, in all its calls together: where a call names some of the same. */
  mergedKeys: 16_000,
  /** Names that a batch's integrations may have: to merge them takes several steps for each. */
  batchIntegrations: 4_096,
  /** Elements, and fields of objects, of one call: no more fit into its bytes. */
  callValues: 16_384,
  /** Refused calls of a batch whose JSON is kept to be shown: no more are of a source. */
  shownRefusals: 100,
} as const;

/** How many bytes a body may have once it is decompressed, and the code that says it has more. */
export interface BodyLimit {
  readonly bytes: number;
  readonly code: 'too_large' | 'call_too_large';
}

export const CALL_LIMIT: BodyLimit = { bytes: LIMITS.callBytes, code: 'call_too_large' };
export const BATCH_LIMIT: BodyLimit = { bytes: LIMITS.batchBytes, code: 'too_large' };
