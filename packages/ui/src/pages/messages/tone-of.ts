import type { Attempt } from '../../../../server/src/admin/contract.ts';
import type { Tone } from '../../components/status-badge.tsx';

const TEMPORARY = new Set([408, 425, 429]);

/** Delivered, to be tried again, or refused for good (docs/delivery.md, "Outcome of a request"). */
export function toneOf({ status, error }: Pick<Attempt, 'status' | 'error'>): Tone {
  if (status === null) return error?.startsWith('certificate_') || error === 'address_not_allowed' ? 'bad' : 'warn';
  if (status >= 200 && status < 300) return 'good';
  return status >= 500 || TEMPORARY.has(status) ? 'warn' : 'bad';
}
