/**
 * Every code the service answers or records, sorted by who meets it. The docs list exactly these (a test says so).
 * Codes are stable: they are never renamed, only added.
 */
export const FAULTS = {
  // A request the collection API refuses whole (decisions 8.4).
  invalid_json: 400,
  empty_batch: 400,
  invalid_gzip: 400,
  invalid_type: 400,
  unsupported_encoding: 415,
  missing_write_key: 401,
  unknown_write_key: 401,
  source_disabled: 403,
  origin_not_allowed: 403,
  too_large: 413,
  call_too_large: 413,
  rate_limited: 429,
  quota_exceeded: 429,
  overloaded: 503,
  storage_full: 503,
  storage_unavailable: 503,
  // A call refused by itself.
  call_not_object: 400,
  call_too_deep: 400,
  no_user_or_anonymous_id: 400,
  event_required: 400,
  group_id_required: 400,
  previous_id_required: 400,
  user_id_required: 400,
  properties_not_object: 400,
  traits_not_object: 400,
  context_not_object: 400,
  integrations_not_object: 400,
  message_id_too_long: 400,
  user_suppressed: 200,
  // The admin API.
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  address_not_allowed: 400,
  changed_meanwhile: 412,
  internal: 500,
} as const;

export type FaultCode = keyof typeof FAULTS;

/** An expected refusal that crosses a stage's edge. Everything else that is thrown is a bug or a broken machine. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  /** Seconds to wait before trying again, where waiting helps. */
  readonly retryAfter: number | null;

  constructor(code: FaultCode, message: string, options: { retryAfter?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfter = options.retryAfter ?? null;
  }

  get status(): number {
    return FAULTS[this.code];
  }
}
