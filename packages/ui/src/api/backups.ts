import { queryOptions } from '@tanstack/react-query';
import type { BackupList } from '../../../server/src/admin/contract.ts';
import { get } from './client.ts';

const MINUTE = 60_000;

export const backupsApi = {
  list: () =>
    queryOptions({
      queryKey: ['backups'],
      queryFn: ({ signal }) => get<BackupList>('/api/backups', {}, signal),
      staleTime: MINUTE,
      refetchInterval: MINUTE,
    }),
};
