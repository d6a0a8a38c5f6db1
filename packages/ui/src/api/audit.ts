import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

export interface AuditFilter {
  readonly actor?: string | undefined;
  /** Beginning of the action: `source.` finds all of a source's. */
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const auditApi = {
  /** Newest first. */
  list: (filter: AuditFilter = {}) => paged<AuditEntry>('/api/audit', { ...filter }),
};
