import { MultiSelect, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';

/** Name and sources. */
export function BasicsForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf: ({ name, sourceIds }) => ({ name, sourceIds }),
    fieldsOf: (values) => values,
    words: 'Name and sources are saved.',
  });
  const { form, save } = edit;
  return (
    <SectionCard title="Name and sources">
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <MultiSelect
            label="Sources"
            description="Calls from then on. What a disconnected source still had waiting is recorded as filtered."
            placeholder={form.values.sourceIds.length === 0 ? 'None: nothing is delivered' : ''}
            data={sources.map(({ id, name, sentBy }) => ({
              value: id,
              label: sentBy === null ? name : `${name} (sent by this service)`,
            }))}
            searchable
            {...form.getInputProps('sourceIds')}
          />
          <SaveBar action="Save name and sources" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}
