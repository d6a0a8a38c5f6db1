import { Button, Group, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SecretCopyNote, SecretField } from '../../components/secret-field.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { useMayChange } from '../../shell/session.ts';

/** The key of the signature. It can be written and never read, so the field is always empty at first. */
export function SecretForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, name, settings } = destination;
  const isSet = settings.sharedSecret.set;
  const mayChange = useMayChange();
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf: () => ({ settings: { sharedSecret: '' } }),
    fieldsOf: ({ settings }) => ({ 'settings.sharedSecret': settings.sharedSecret }),
    words: 'The secret is saved. From now on every attempt is signed with it.',
  });
  const { form, save } = edit;
  const { sharedSecret } = form.values.settings;
  const update = useMutation(destinationsApi.update());
  const [asking, { open, close }] = useDisclosure(false);
  const [replacing, { open: askFirst, close: decided }] = useDisclosure(false);
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
      <form onSubmit={form.onSubmit(isSet ? askFirst : save)}>
        <Stack gap="md">
          <Group gap="xs">
            <StatusBadge tone={isSet ? 'good' : 'off'}>{isSet ? 'set' : 'not set'}</StatusBadge>
            <Text size="sm" c="dimmed">
              {isSet ? 'It is never shown again.' : 'Requests are not signed.'}
            </Text>
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
          <Group gap="xs" align="flex-end">
            <SaveBar
              action={isSet ? 'Replace the secret…' : 'Set the secret'}
              edit={{ ...edit, dirty: sharedSecret !== '' }}
            />
            {isSet && mayChange && (
              <Button variant="default" onClick={open}>
                Remove the secret
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      <ConfirmDialog
        opened={replacing}
        onClose={decided}
        title={`Replace the shared secret of “${name}”?`}
        action="Replace the secret"
        onConfirm={async () => save()}
      >
        <Stack gap="sm">
          <span>
            Every attempt from then on is signed with the new one, and the old one is gone for good. Receivers that do
            not know the new one will refuse the requests.
          </span>
          <SecretCopyNote secret={sharedSecret} />
        </Stack>
      </ConfirmDialog>
      <ConfirmDialog
        opened={asking}
        onClose={close}
        title={`Remove the shared secret of “${name}”?`}
        action="Remove the secret"
        onConfirm={() => update.mutateAsync({ id, settings: { sharedSecret: null } })}
      >
        Requests are not signed from then on. Receivers that check the signature will refuse them.
      </ConfirmDialog>
    </SectionCard>
  );
}
