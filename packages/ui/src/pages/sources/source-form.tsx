import { Group, Radio, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import type { NewSource, Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { DialogForm } from '../../forms/form-dialog.tsx';
import { useSubmit } from '../../forms/use-submit.ts';
import classes from './choice.module.css';
import { SOURCE_TYPES, SourceTypeIcon } from './source-types.tsx';

interface SourceFormProps {
  /** The form stays busy until it resolves. */
  readonly onCreated: (source: Source) => unknown;
  /** Absent if the form can't be cancelled. */
  readonly onCancel?: () => void;
}

/** Creates a source from a name and a kind. The service makes the write key. */
export function SourceForm({ onCreated, onCancel }: SourceFormProps): ReactElement {
  const form = useForm<NewSource>({ initialValues: { name: '', type: 'web' } });
  const { busy, refusal, send } = useSubmit(form, sourcesApi.create());
  const submit = form.onSubmit((values) => send(values, onCreated));
  return (
    <DialogForm onSubmit={submit} action="Create source" busy={busy} refusal={refusal} onCancel={onCancel}>
      <TextInput
        label="Name"
        description="What sends the calls, as your team calls it."
        placeholder="Web shop"
        required
        maxLength={200}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <Radio.Group label="Kind" {...form.getInputProps('type')}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="xs" mt={6}>
          {SOURCE_TYPES.map(({ value, label, about }) => (
            <Radio.Card key={value} value={value} className={classes['choice'] ?? ''} aria-label={`${label}: ${about}`}>
              <Group gap={8} wrap="nowrap">
                <SourceTypeIcon type={value} />
                <Text span fw={600}>
                  {label}
                </Text>
              </Group>
              <Text variant="aside" mt={2}>
                {about}
              </Text>
            </Radio.Card>
          ))}
        </SimpleGrid>
      </Radio.Group>
    </DialogForm>
  );
}
