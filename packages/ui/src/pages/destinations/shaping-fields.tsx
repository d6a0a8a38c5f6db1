import { TagsInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { CallFilterField } from './call-filter-field.tsx';
import { RedactionFields } from './redaction-fields.tsx';
import type { SettingsForm } from './settings-values.ts';
import { ShapingPreview } from './shaping-preview.tsx';

/** Which calls go out by what is in them, and with which fields; tried over the last day before it is saved. */
export function ShapingFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <SectionCard
      title="Which calls, and what of them"
      description="By what is in a call. What is left out is recorded as filtered, with the clause. What Millrace keeps is not changed."
    >
      <CallFilterField form={form} />
      <TagsInput
        label="Consent"
        description="A call goes out when its context.consent.categoryPreferences has true for each of these categories. One that says nothing of them is left out."
        placeholder={form.values.consent.length === 0 ? 'advertising' : ''}
        splitChars={[',']}
        maxTags={20}
        {...form.getInputProps('consent')}
      />
      <RedactionFields form={form} />
      {useMayChange() && <ShapingPreview values={form.values} />}
    </SectionCard>
  );
}
