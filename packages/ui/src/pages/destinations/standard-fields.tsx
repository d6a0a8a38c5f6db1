import { Checkbox, Code, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { newStandardSecret, SecretField } from '../../components/secret-field.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { OverlapField, SecretState } from './secret-fields.tsx';
import type { SettingsForm } from './settings-values.ts';

interface StandardFieldsProps {
  readonly form: SettingsForm;
  readonly secret: Destination['settings']['standardSecret'];
}

/** The signatures that libraries of Standard Webhooks verify. The first that is switched on gets a secret, to be copied. */
export function StandardFields({ form, secret }: StandardFieldsProps): ReactElement {
  const { signatures, standardSecret } = form.values.settings;
  const isOn = signatures.some((scheme) => scheme.startsWith('standard'));
  const choose = (chosen: string[]): void => {
    form.setFieldValue('settings.signatures', chosen);
    if (secret.set) return;
    const turnsOn = chosen.some((scheme) => scheme.startsWith('standard'));
    form.setFieldValue('settings.standardSecret', turnsOn ? standardSecret || newStandardSecret() : '');
  };
  return (
    <SectionCard
      title="Signatures"
      description={
        <>
          What each request carries: <code>X-Signature</code> by the shared secret; <code>webhook-id</code>,{' '}
          <code>webhook-timestamp</code> and <code>webhook-signature</code> of Standard Webhooks, which published
          libraries verify.
        </>
      }
    >
      <Checkbox.Group aria-label="Signatures" value={signatures} onChange={choose}>
        <Group gap="lg">
          <Checkbox value="segment" label="X-Signature" />
          <Checkbox value="standard" label="Standard Webhooks, HMAC-SHA256" />
          <Checkbox value="standard-ed25519" label="Standard Webhooks, ed25519" />
        </Group>
      </Checkbox.Group>
      {form.errors['settings.signatures'] && <Text c="red">{form.errors['settings.signatures']}</Text>}
      {isOn && (
        <>
          <Group gap="xs">
            <SecretState secret={secret} without="It is set when this is saved." />
          </Group>
          {secret.publicKey !== undefined && (
            <Group gap="xs">
              <Text>Public key:</Text>
              <Code>{secret.publicKey}</Code>
              <CopyButton value={secret.publicKey} of="the public key" />
            </Group>
          )}
          <SecretField
            label={secret.set ? 'New secret of Standard Webhooks' : 'Secret of Standard Webhooks'}
            description="whsec_ and base64 of 24 to 64 bytes."
            make={newStandardSecret}
            {...form.getInputProps('settings.standardSecret')}
          />
          {secret.set && standardSecret !== '' && <OverlapField form={form} />}
        </>
      )}
    </SectionCard>
  );
}
