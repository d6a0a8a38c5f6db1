import { Checkbox, Stack, Text, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { leadsHere } from '../../api/loopback.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { newStandardSecret, SecretField } from '../../components/secret-field.tsx';
import { WebhookFields } from '../../forms/webhook-fields.tsx';
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

export function UrlsStep({ form }: { readonly form: WizardForm }): ReactElement {
  return (
    <Stack gap="md">
      <Text>
        Every call goes to each of them. A check looks up the name, the address and the certificate, and sends one real
        test message{form.values.settings.sharedSecret === '' && ', unsigned while no shared secret is entered'}.
      </Text>
      <LoopbackNote offers={form.values.settings.webhooks.some(({ url }) => leadsHere(url))} />
      <WebhookFields
        drafts={form.values.settings.webhooks}
        onChange={(webhooks) => {
          form.clearErrors();
          form.setFieldValue('settings.webhooks', webhooks);
        }}
        errors={form.errors}
        sharedSecret={form.values.settings.sharedSecret || null}
      />
    </Stack>
  );
}

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
