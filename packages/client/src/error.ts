/**
 * What went wrong with a call, an option or a message that was sent.
 *
 * `code` is stable: `invalid_option`, `invalid_call`, `call_too_large`, `queue_full`, `closed` (thrown by the client, or
 * reported for what it could no longer send), `network`, `timeout` (the last of all attempts), `not_kept` (the
 * browser's storage took no more), `unconfirmed` (sent as its page ended, so its answer was not heard, and too long ago to be
 * sent again), `http_<status>` for an answer without a code; anything else is the service's own code.
 */
export interface MillraceError extends Error {
  readonly name: 'MillraceError';
  readonly code: string;
  /** The HTTP status of the answer; absent where there was none. */
  readonly status?: number;
}

interface Details {
  readonly status?: number;
  readonly cause?: unknown;
}

export function errorOf(code: string, message: string, details?: Details): MillraceError {
  return Object.assign(new Error(message), { name: 'MillraceError' as const, code }, details);
}
