import type { Regulation, RegulationDetails } from '../../../packages/server/src/admin/contract.ts';
import type { Admin } from './admin.ts';
import { eventually } from './eventually.ts';

/** Asks for a compaction once a regulation has removed its users; resolves when no file holds their bytes. */
export async function compacted(service: Admin, { id }: Pick<Regulation, 'id'>): Promise<RegulationDetails> {
  const details = (): Promise<RegulationDetails> => service.must('GET', `/api/regulations/${id}`);
  await eventually(details, ({ erasedAt }) => erasedAt !== null);
  await service.must('POST', '/api/regulations/compact');
  return eventually(details, ({ compactedAt }) => compactedAt !== null, 60_000);
}
