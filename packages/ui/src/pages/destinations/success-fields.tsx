import { Radio, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SettingsForm } from './settings-values.ts';

/** When a message to several URLs is processed, and what becomes of the URLs that missed it. */
export function SuccessFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <Radio.Group label="A message is processed when" {...form.getInputProps('success')}>
      <Stack gap="xs" mt="xs">
        <Radio
          value="any"
          label="Any URL has taken it"
          description="The others are not tried again. It fails when none takes it."
        />
        <Radio
          value="all"
          label="All URLs have taken it"
          description="A URL that missed it is tried again, alone. It fails when one refuses it for good, or misses it until the retry window ends."
        />
      </Stack>
    </Radio.Group>
  );
}
