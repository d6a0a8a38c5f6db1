import { Checkbox, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { newStandardSecret, SecretField } from '../../components/secret-field.tsx';
import type { WizardForm } from './wizard-draft.ts';

export function SecretStep({ form }: { readonly form: WizardForm }): ReactElement {
  return (
    <Stack gap="md">
      <Text>
        With a secret, each request carries <code>X-Signature</code>: HMAC-SHA1 of the body in lower-case hexadecimal.
        Your endpoint computes it over the raw bytes that it received. If both are equal, this service sent them.
      </Text>
      <Text>
        <AnchorLink to="/verify" target="_blank">
          How to verify it, and a place to try (opens a new tab)
        </AnchorLink>
      </Text>
      <SecretField
        label="Shared secret"
        description="Optional. Without it there is no X-Signature."
        {...form.getInputProps('settings.sharedSecret')}
      />
      <Checkbox
        label="Sign by Standard Webhooks too"
        description="webhook-id, webhook-timestamp and webhook-signature (HMAC-SHA256): published libraries verify them."
        checked={form.values.settings.standardSecret !== ''}
        onChange={({ currentTarget }) =>
          form.setFieldValue('settings.standardSecret', currentTarget.checked ? newStandardSecret() : '')
        }
      />
      {form.values.settings.standardSecret !== '' && (
        <SecretField
          label="Secret of Standard Webhooks"
          description="whsec_ and base64 of 24 to 64 bytes."
          make={newStandardSecret}
          {...form.getInputProps('settings.standardSecret')}
        />
      )}
    </Stack>
  );
}
