import { Button, Group, Select, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { SecretView } from '../../../../server/src/admin/contract.ts';
import { serviceNow } from '../../api/service-clock.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { SecretField } from '../../components/secret-field.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

interface SecretFieldsProps {
  readonly form: SettingsForm;
  readonly secret: SecretView;
  /** Absent where it can't be removed. */
  readonly onRemove: (() => void) | undefined;
}

/** The key of the signature. It can be written and never read, so the field is always empty at first. */
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

/** Until when the secret before this one signs too; null where it does no longer. */
export function overlapOf({ previousUntil }: SecretView): string | null {
  return previousUntil !== undefined && Date.parse(previousUntil) > serviceNow() ? previousUntil : null;
}

/** Whether there is a secret, and until when the one before it signs too. */
export function SecretState({
  secret,
  without,
}: {
  readonly secret: SecretView;
  readonly without: string;
}): ReactElement {
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

export function OverlapField({ form }: { readonly form: SettingsForm }): ReactElement {
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
