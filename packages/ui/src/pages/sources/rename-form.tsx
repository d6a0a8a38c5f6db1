import { Select, Stack, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { SOURCE_TYPES } from './source-types.ts';

/** Name and kind. Neither changes what clients send. */
export function RenameForm({ source }: { readonly source: Source }): ReactElement {
  const edit = useEditForm({
    thing: source,
    api: sourcesApi,
    valuesOf: ({ name, type }) => ({ name, type }),
    fieldsOf: (values) => values,
    words: 'Name and kind are saved.',
  });
  const { form, save } = edit;
  return (
    <SectionCard title="Name and kind" description="A change does not affect clients: they use the write key.">
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <Select
            label="Kind"
            allowDeselect={false}
            data={SOURCE_TYPES.map(({ value, label, about }) => ({ value, label: `${label}: ${about.toLowerCase()}` }))}
            {...form.getInputProps('type')}
          />
          <SaveBar action="Save name and kind" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}
