import { Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { SOURCE } from './kind.ts';
import { SentByNote } from './sent-by-note.tsx';
import { SettingsForm } from './settings-form.tsx';
import { useShownSource } from './shown-source.ts';

export function SourceSettingsTab(): ReactElement {
  const source = useShownSource();
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

function DeleteSource({ source }: { readonly source: Source }): ReactElement {
  const { data: destinations } = useQuery(destinationsApi.list());
  const fed = destinations?.filter(({ sourceIds }) => sourceIds.includes(source.id)).map(({ name }) => `“${name}”`);
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop its calls for a while, switch it off instead.">
      <Group>
        <DeleteButton kind={SOURCE} of={source} remove={sourcesApi.remove()} label="Delete this source">
          Its write key is refused from now on: every client that carries it loses its calls.{' '}
          {fed === undefined
            ? 'Which destinations get calls from it is not known yet.'
            : fed.length === 0
              ? 'No destination gets calls from it.'
              : `It leaves ${fed.join(', ')}; what still waits there from it is recorded as filtered.`}{' '}
          Delivered messages can still be seen. The deletion of a user is told to no destination under it from then on.
        </DeleteButton>
      </Group>
    </SectionCard>
  );
}
