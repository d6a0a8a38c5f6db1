import { Group, Input, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import type { ReactElement, RefObject } from 'react';
import { AddButton } from '../../components/add-button.tsx';
import { choices } from '../../components/choices.ts';
import { IconButton } from '../../components/icon-button.tsx';
import { place } from '../../conditions/place.ts';
import type { Gap } from '../../conditions/written.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { CallFilterField } from './call-filter-field.tsx';
import type { SettingsForm } from './settings-values.ts';
import { ShapingPreview } from './shaping-preview.tsx';

interface ShapingFieldsProps {
  readonly form: SettingsForm;
  /** Is given what is missing in the filter. */
  readonly filterGaps: RefObject<readonly Gap[]>;
}

/** Which calls go out by what is in them, and with which fields; tried over the last day before it is saved. */
export function ShapingFields({ form, filterGaps }: ShapingFieldsProps): ReactElement {
  return (
    <SectionCard
      title="Which calls, and what of them"
      description="By what is in a call. What is left out is recorded as filtered, with the clause. What Millrace keeps is not changed."
    >
      <CallFilterField form={form} gaps={filterGaps} />
      <TagsInput
        label="Consent"
        description="A call goes out when its context.consent.categoryPreferences has true for each of these categories. One that says nothing of them is left out."
        placeholder={form.values.consent.length === 0 ? 'advertising' : ''}
        splitChars={[',']}
        maxTags={20}
        {...form.getInputProps('consent')}
      />
      <RedactionFields form={form} />
      {useMayChange() && <ShapingPreview form={form} />}
    </SectionCard>
  );
}

const WAYS = choices({ drop: 'left out', mask: 'masked as ***', hash: 'hashed' });

/** Fields that leave changed, or not at all. */
function RedactionFields({ form }: { readonly form: SettingsForm }): ReactElement {
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
