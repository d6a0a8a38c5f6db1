/**
 * Every code the service answers or records, sorted by who meets it, with its HTTP status and what it means. The table of
 * docs/http-api.md is made of it. Codes are stable: they are never renamed, only added.
 */
export const FAULTS = {
  // A request the collection API refuses whole (contract 8.4).
  invalid_json: [400, 'The body is empty, no JSON, or no UTF-8'],
  empty_batch: [400, 'There is no `batch`, or nothing in it'],
  invalid_gzip: [400, "The body is labelled gzip and can't be decompressed"],
  invalid_type: [400, '`type` is none of the six call types'],
  unsupported_encoding: [
    415,
    'The Content-Encoding is not taken: the collection API takes gzip or none, the admin API none',
  ],
  missing_write_key: [401, 'The request names no source'],
  unknown_write_key: [401, "No source has this write key, or it is an audience's or a computed trait's"],
  source_disabled: [
    403,
    'The source is switched off; a batch is refused whole too, because libraries take a 200 for delivered',
  ],
  origin_not_allowed: [403, 'The source names the origins whose pages may send, and this is none of them'],
  too_large: [413, 'The batch, or the body, is larger than allowed, or comes in more than 65,536 pieces'],
  call_too_large: [413, 'The call is larger than allowed'],
  rate_limited: [429, 'Too many attempts to sign in, or too many wrong tokens or passwords; see `Retry-After`'],
  quota_exceeded: [429, 'The source, or this address, sends more than its quota; see `Retry-After`'],
  overloaded: [
    503,
    'More is waiting to be written, or comes in at once, than can be taken on; or too many live streams, exports or settings files are open; see `Retry-After`',
  ],
  storage_full: [
    503,
    'The disk is full, or the last of it is kept for server sources; nothing was accepted. Calls are accepted again as soon as there is room',
  ],
  storage_unavailable: [503, "Storage doesn't answer; nothing was accepted"],
  // A call refused by itself.
  call_not_object: [400, 'A call is no JSON object'],
  call_too_deep: [400, 'A call, or what a batch says for all calls, has more than 128 levels of objects and arrays'],
  no_user_or_anonymous_id: [400, 'A call needs `userId` or `anonymousId`'],
  event_required: [400, 'A track call needs `event`, and it must not be blank'],
  group_id_required: [400, 'A group call needs `groupId`'],
  previous_id_required: [400, 'An alias call needs `previousId`'],
  user_id_required: [400, 'An alias call needs `userId`'],
  properties_not_object: [400, '`properties` is no object'],
  traits_not_object: [400, '`traits` is no object'],
  context_not_object: [400, '`context` is no object'],
  integrations_not_object: [400, '`integrations` is no object'],
  message_id_too_long: [400, '`messageId` has more than 100 characters'],
  user_suppressed: [
    200,
    'The user is suppressed: the call is counted, answered as success and not delivered. Callers of web and mobile sources are not told',
  ],
  // The admin API.
  invalid_input: [400, "The input of the admin API is wrong; `errors` names each field (415 when it isn't JSON)"],
  unauthorized: [
    401,
    'The caller is not signed in: the token or the session is missing, wrong or over, or what was given to sign in is wrong',
  ],
  forbidden: [
    403,
    "The caller's role does not allow it; or a session's CSRF token is missing, or the request comes from a page of another origin",
  ],
  not_found: [404, 'There is no such thing, or no such path'],
  method_not_allowed: [405, 'The path has other methods; see `Allow`'],
  conflict: [409, 'It clashes with what is there: another source has this write key, or the message waits anyway'],
  address_not_allowed: [400, 'A URL leads to an address that no request may go to; see `MILLRACE_ALLOW_PRIVATE_URLS`'],
  changed_meanwhile: [412, 'It was changed since the version of `If-Match`; `changes` says how'],
  internal: [500, 'A fault of the service; its log says which'],
} as const;

export type FaultCode = keyof typeof FAULTS;

/** Whether the service can't take what was sent now: the same is taken later. */
export function isOutage(code: string): boolean {
  return FAULTS[code as FaultCode]?.[0] === 503;
}

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
    return FAULTS[this.code][0];
  }
}
