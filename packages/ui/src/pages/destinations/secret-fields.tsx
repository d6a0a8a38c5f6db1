import { Button, Checkbox, Code, Group, Select, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Destination, SecretView } from '../../../../server/src/admin/contract.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { newStandardSecret, SecretField } from '../../components/secret-field.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

interface SecretFieldsProps {
  readonly form: SettingsForm;
  readonly secret: SecretView;
  /** Absent if the secret can't be removed. */
  readonly onRemove: (() => void) | undefined;
}

/** The key of the signature. It can be set but not read, so the field starts empty. */
export function SecretFields({ form, secret, onRemove }: SecretFieldsProps): ReactElement {
  const { sharedSecret } = form.values.settings;
  return (
    <SectionCard
      title="Shared secret"
      description={
        <>
          Signs each request: <code>X-Signature</code> is the HMAC-SHA1 of the body. Receivers check it; so can you, in
          the{' '}
          <AnchorLink to="/verify" underline="always">
            signature verifier
          </AnchorLink>
          .
        </>
      }
    >
      <Group gap="xs">
        <SecretState secret={secret} without="Requests have no X-Signature." />
        {onRemove && (
          <Button variant="subtle" color="red" size="compact-sm" ml="auto" onClick={onRemove}>
            Remove the secret
          </Button>
        )}
      </Group>
      <SecretField
        label={secret.set ? 'New secret' : 'Secret'}
        description="Requests are signed with it from then on, retries of older messages too."
        {...form.getInputProps('settings.sharedSecret')}
      />
      {secret.set && sharedSecret !== '' && <OverlapField form={form} />}
    </SectionCard>
  );
}

/** The time until which the previous secret also signs; null if it no longer does. */
export function overlapOf({ previousUntil }: SecretView): string | null {
  return previousUntil !== undefined && Date.parse(previousUntil) > serviceNow() ? previousUntil : null;
}

/** Whether a secret is set, and until when the previous one also signs. */
function SecretState({ secret, without }: { readonly secret: SecretView; readonly without: string }): ReactElement {
  const { set } = secret;
  const until = overlapOf(secret);
  return (
    <>
      <StatusBadge tone={set ? 'good' : 'off'}>{set ? 'set' : 'not set'}</StatusBadge>
      <Text c="dimmed">
        {set ? 'It is never shown again.' : without}
        {until !== null && (
          <>
            {' '}
            The one before signs too until <Time at={until} absolute />.
          </>
        )}
      </Text>
    </>
  );
}

const OVERLAPS = [
  { value: '0s', label: 'Not at all: receivers must know the new one already' },
  { value: '1h', label: 'For an hour' },
  { value: '24h', label: 'For a day' },
  { value: '7d', label: 'For 7 days' },
];

function OverlapField({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <Select
      label="The old one goes on signing"
      description="Each request carries both signatures until then, so that receivers can change over in their own time."
      data={OVERLAPS}
      allowDeselect={false}
      {...form.getInputProps('settings.secretOverlap')}
    />
  );
}

interface StandardFieldsProps {
  readonly form: SettingsForm;
  readonly secret: Destination['settings']['standardSecret'];
}

/** The signature that libraries of Standard Webhooks verify. Switching it on for the first time generates a secret to copy. */
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
