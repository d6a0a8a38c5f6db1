/**
 * An error of a call, an option or a message that was sent.
 *
 * `code` is stable:
 *
 * - `invalid_option`, `invalid_call`, `call_too_large`, `queue_full`: thrown by the client, or reported (`queue_full`).
 * - `closed`: thrown by the client, or reported for messages that it could no longer send.
 * - `network`, `timeout`: how the last of all attempts failed.
 * - `not_kept`: the browser's storage took no more messages.
 * - `unconfirmed`: the page ended before the answer came, and that is too long ago to send the message again.
 * - `http_<status>`: an answer without a code.
 *
 * Any other code comes from the service.
 */
export interface MillraceError extends Error {
  readonly name: 'MillraceError';
  readonly code: string;
  /** The HTTP status of the answer; absent if there was no answer. */
  readonly status?: number;
}

interface Details {
  readonly status?: number;
  readonly cause?: unknown;
}

export function errorOf(code: string, message: string, details?: Details): MillraceError {
  return Object.assign(new Error(message), { name: 'MillraceError' as const, code }, details);
}
