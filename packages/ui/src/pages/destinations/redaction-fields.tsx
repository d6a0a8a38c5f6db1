import { Group, Input, Select, Stack, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { place } from '../../conditions/place.ts';
import type { SettingsForm } from './settings-values.ts';

const WAYS = [
  { value: 'drop', label: 'left out' },
  { value: 'mask', label: 'masked as ***' },
  { value: 'hash', label: 'hashed' },
];

/** Fields that leave changed, or not at all. */
export function RedactionFields({ form }: { readonly form: SettingsForm }): ReactElement {
  const { redact } = form.values;
  return (
    <Input.Wrapper
      label="Fields"
      labelElement="div"
      description="Names joined by dots, like traits.email; * stands for each element of a list. A hash is by a key of this destination, which is never shown and stays the same."
    >
      <Stack gap="xs" mt="xs" align="flex-start">
        {redact.map((_, i) => (
          <Group key={place(i)} gap="xs" align="flex-start" w="100%">
            <TextInput
              flex="5 1 220px"
              miw={0}
              aria-label={`Field ${i + 1}`}
              placeholder="traits.email"
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps(`redact.${i}.path`)}
            />
            <Select
              flex="1 1 140px"
              miw={0}
              aria-label={`What becomes of field ${i + 1}`}
              data={WAYS}
              allowDeselect={false}
              {...form.getInputProps(`redact.${i}.do`)}
            />
            <IconButton
              variant="default"
              size={36}
              icon={IconX}
              label={`Remove field ${i + 1}`}
              onClick={() => form.removeListItem('redact', i)}
            />
          </Group>
        ))}
        <AddButton onClick={() => form.insertListItem('redact', { path: '', do: 'drop' })}>Add field</AddButton>
      </Stack>
    </Input.Wrapper>
  );
}
