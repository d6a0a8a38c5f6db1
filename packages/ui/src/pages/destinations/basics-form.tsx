import { MultiSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useChange } from './use-change.ts';

/** Name and sources. */
export function BasicsForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const form = useForm({ initialValues: { name: destination.name, sourceIds: destination.sourceIds } });
  const { busy, refusal, save, reset } = useChange(destination, form);
  const submit = form.onSubmit((values) => save(values, 'Name and sources are saved.'));
  return (
    <SectionCard title="Name and sources">
      <form onSubmit={submit}>
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
          <SaveBar
            action="Save name and sources"
            dirty={form.isDirty()}
            busy={busy}
            refusal={refusal}
            onReset={reset}
          />
        </Stack>
      </form>
    </SectionCard>
  );
}
