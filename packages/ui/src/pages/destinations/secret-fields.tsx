import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { SecretCopyNote, SecretField } from '../../components/secret-field.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

interface SecretFieldsProps {
  readonly form: SettingsForm;
  /** Has the destination one. */
  readonly isSet: boolean;
  /** Absent where it can't be removed. */
  readonly onRemove: (() => void) | undefined;
}

/** The key of the signature. It can be written and never read, so the field is always empty at first. */
export function SecretFields({ form, isSet, onRemove }: SecretFieldsProps): ReactElement {
  const { sharedSecret } = form.values.settings;
  return (
    <SectionCard
      title="Shared secret"
      description={
        <>
          Signs each request: <code>X-Signature</code> is the HMAC-SHA1 of the body. Receivers check it; so can you, in
          the{' '}
          <AnchorLink to="/verify" size="sm" underline="always">
            signature verifier
          </AnchorLink>
          .
        </>
      }
    >
      <Group gap="xs">
        <StatusBadge tone={isSet ? 'good' : 'off'}>{isSet ? 'set' : 'not set'}</StatusBadge>
        <Text size="sm" c="dimmed">
          {isSet ? 'It is never shown again.' : 'Requests are not signed.'}
        </Text>
        {onRemove && (
          <Button variant="subtle" color="red" size="compact-sm" ml="auto" onClick={onRemove}>
            Remove the secret
          </Button>
        )}
      </Group>
      <SecretField
        label={isSet ? 'New secret' : 'Secret'}
        description={
          isSet
            ? 'Let your receivers accept both first: every attempt from then on is signed with the new one, retries of older messages too.'
            : 'Requests are signed with it from then on.'
        }
        value={sharedSecret}
        onChange={(secret) => form.setFieldValue('settings.sharedSecret', secret)}
        error={form.errors['settings.sharedSecret']}
      />
      <SecretCopyNote secret={sharedSecret} />
    </SectionCard>
  );
}
