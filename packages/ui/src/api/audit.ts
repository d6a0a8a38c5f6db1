import type { AuditEntry } from '../../../server/src/admin/contract.ts';
import { paged } from './query.ts';

export interface AuditFilter {
  readonly actor?: string | undefined;
  /** The beginning of the action: `source.` matches all actions on sources. */
  readonly action?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const auditApi = {
  /** Newest first. */
  list: (filter: AuditFilter = {}) => paged<AuditEntry>('/api/audit', { ...filter }),
};
