import type { Attempt } from '../../../../server/src/admin/contract.ts';
import { classifyStatus, SEND_ERRORS, type SendErrorCode } from '../../../../server/src/core/send-error.ts';
import type { Tone } from '../../components/status-badge.tsx';

export const TONES = { success: 'good', temporary: 'warn', permanent: 'bad' } as const;

/** Whether an attempt delivered, will be tried again, or was refused for good (docs/delivery.md, "Outcome of a request"). */
export function toneOf({ status, error }: Pick<Attempt, 'status' | 'error'>): Tone {
  if (status !== null) return TONES[classifyStatus(status)];
  return error !== null && Object.hasOwn(SEND_ERRORS, error)
    ? TONES[SEND_ERRORS[error as SendErrorCode].class]
    : 'warn';
}
