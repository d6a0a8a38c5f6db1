import { Skeleton, Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DeleteSource } from './delete-source.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { SettingsForm } from './settings-form.tsx';

const route = getRouteApi('/shell/sources/$sourceId/settings');

export function SourceSettingsTab(): ReactElement {
  const { sourceId } = route.useParams();
  const mayChange = useMayChange();
  const { data: source } = useQuery(sourcesApi.one(sourceId));
  if (!mayChange) {
    return (
      <EmptyState icon={IconLock} title="Only admins change sources">
        Ask one of them to rename or to delete it.
      </EmptyState>
    );
  }
  if (!source) return <Skeleton height={320} />;
  if (source.sentBy !== null) return <SentByNote sentBy={source.sentBy} />;
  return (
    <Stack gap="md" maw={820}>
      <SettingsForm source={source} />
      <DeleteSource source={source} />
    </Stack>
  );
}
