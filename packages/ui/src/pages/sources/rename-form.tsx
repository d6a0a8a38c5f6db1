import { Select, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { notifyDone } from '../../components/notify.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import { SOURCE_TYPES } from './source-types.ts';

/** Name and kind. Neither changes what clients send. */
export function RenameForm({ source }: { readonly source: Source }): ReactElement {
  const form = useForm({ initialValues: { name: source.name, type: source.type } });
  const { busy, refusal, send, forget } = useSubmit(form, sourcesApi.update());
  const submit = form.onSubmit((values) => {
    send({ id: source.id, ...values }, () => {
      form.setInitialValues(values);
      form.resetDirty();
      notifyDone('Name and kind are saved.');
    });
  });
  const reset = (): void => {
    form.reset();
    forget();
  };
  return (
    <SectionCard title="Name and kind" description="Clients notice nothing of a change: they know the write key.">
      <form onSubmit={submit}>
        <Stack gap="md">
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <Select
            label="Kind"
            allowDeselect={false}
            data={SOURCE_TYPES.map(({ value, label, about }) => ({ value, label: `${label}: ${about.toLowerCase()}` }))}
            {...form.getInputProps('type')}
          />
          <SaveBar action="Save name and kind" dirty={form.isDirty()} busy={busy} refusal={refusal} onReset={reset} />
        </Stack>
      </form>
    </SectionCard>
  );
}
