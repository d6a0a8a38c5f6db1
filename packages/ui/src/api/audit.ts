import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

export interface AuditFilter {
  readonly actor?: string;
  /** Beginning of the action: `source.` finds all of a source's. */
  readonly action?: string;
  readonly from?: string;
  readonly to?: string;
}

export const auditApi = {
  /** Newest first. */
  list: (filter: AuditFilter = {}) => paged<AuditEntry>('/api/audit', { ...filter }),
};
