import { MultiSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { sourcesApi } from '../../api/sources.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import type { SettingsForm } from './settings-values.ts';

/** Name and sources. */
export function BasicsFields({ form }: { readonly form: SettingsForm }): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const mayChange = useMayChange();
  return (
    <SectionCard title="Name and sources">
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
        disabled={!mayChange}
        {...form.getInputProps('sourceIds')}
      />
    </SectionCard>
  );
}
