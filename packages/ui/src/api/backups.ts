import type { BackupList } from '../../../server/src/admin/contract.ts';
import { asked } from './query.ts';

const MINUTE = 60_000;

export const backupsApi = {
  list: () => ({ ...asked<BackupList>('/api/backups'), staleTime: MINUTE, refetchInterval: MINUTE }),
};
