import { REASONS } from '../../../server/src/core/reason.ts';
import { SEND_ERRORS } from '../../../server/src/core/send-error.ts';

/** Why a message failed or was filtered, in words. A reason that this version does not know is shown as its code. */
export function reasonInWords(reason: string | null): string | null {
  return reason !== null && Object.hasOwn(REASONS, reason) ? REASONS[reason as keyof typeof REASONS].means : reason;
}

/** Stands beside the reason of a message that failed without an attempt. */
export const NO_ATTEMPT = 'No attempt was made: sending was paused while the endpoint failed.';

/** The error of an attempt without a status, in words. An unknown error is shown as its code. */
export function errorInWords(error: string | null): string | null {
  const known = error !== null && Object.hasOwn(SEND_ERRORS, error);
  return known ? `${SEND_ERRORS[error as keyof typeof SEND_ERRORS].means}.` : error;
}
