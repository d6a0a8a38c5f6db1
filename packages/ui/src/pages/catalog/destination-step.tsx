import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import type { WizardForm } from './wizard-draft.ts';

export function DestinationStep({ form }: { readonly form: WizardForm }): ReactElement {
  return (
    <Stack gap="md">
      <Text>
        A destination of the kind <strong>Webhooks</strong>: each call of its sources goes to all of its URLs as one
        signed POST. Failed requests are tried again for hours.
      </Text>
      <TextInput
        label="Name"
        description="What gets the calls, as your team calls it."
        placeholder="Warehouse loader"
        required
        maxLength={200}
        {...form.getInputProps('name')}
      />
    </Stack>
  );
}
