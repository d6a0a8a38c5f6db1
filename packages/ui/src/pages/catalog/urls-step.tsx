import { Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { leadsHere } from '../../api/loopback.ts';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { WebhookFields } from '../../forms/webhook-fields.tsx';
import type { WizardForm } from './wizard-draft.ts';

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
