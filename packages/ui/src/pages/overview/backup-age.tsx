import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { backupsApi } from '../../api/backups.ts';
import { Time } from '../../components/time.tsx';

/** How old the last complete backup is; nothing where the service makes none. */
export function BackupAge(): ReactElement | null {
  const { data } = useQuery(backupsApi.list());
  if (!data || data.directory === null) return null;
  const [newest] = data.items;
  const last = data.items.find(({ state }) => state === 'complete');
  return (
    <Text c="dimmed" style={{ overflowWrap: 'anywhere' }}>
      Last backup: <Time at={last?.at ?? null} otherwise="none yet" />.
      {newest?.state === 'running' && ' One is under way.'}
      {newest?.state === 'failed' && (
        <>
          {' '}
          The one begun <Time at={newest.at} /> failed: {newest.reason}
        </>
      )}
    </Text>
  );
}
