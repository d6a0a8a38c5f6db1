import type { SignatureVerdict } from '../../../../server/src/admin/contract.ts';

/** What a check answered, and about which header. */
export interface Checked {
  readonly verdict: SignatureVerdict;
  readonly given: string;
}
