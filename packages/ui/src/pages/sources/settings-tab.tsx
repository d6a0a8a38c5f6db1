import { Stack } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { DeleteSource } from './delete-source.tsx';
import { SentByNote } from './sent-by-note.tsx';
import { SettingsForm } from './settings-form.tsx';

const route = getRouteApi('/shell/sources/$sourceId/settings');

export function SourceSettingsTab(): ReactElement {
  const { sourceId } = route.useParams();
  const { data: source } = useSuspenseQuery(sourcesApi.one(sourceId));
  return (
    <ForAdmins title="Only admins change sources">
      {source.sentBy !== null ? (
        <SentByNote sentBy={source.sentBy} />
      ) : (
        <Stack gap="md" maw={820}>
          <SettingsForm source={source} />
          <DeleteSource source={source} />
        </Stack>
      )}
    </ForAdmins>
  );
}
