import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { SecretField } from '../../components/secret-field.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange } from '../../shell/session.ts';
import { useChange } from './use-change.ts';

/** The key of the signature. It can be written and never read, so the field is always empty at first. */
export function SecretForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, name, settings } = destination;
  const isSet = settings.sharedSecret.set;
  const mayChange = useMayChange();
  const form = useForm({ initialValues: { settings: { sharedSecret: '' } } });
  const { busy, refusal, save, reset } = useChange(destination, form);
  const update = useMutation(destinationsApi.update());
  const [asking, { open, close }] = useDisclosure(false);
  const submit = form.onSubmit((change) =>
    save(change, 'The secret is saved. From now on every attempt is signed with it.', { done: reset }),
  );
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
      <form onSubmit={submit}>
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
                : 'Copy it to your receivers before you save: it is not shown again.'
            }
            value={form.values.settings.sharedSecret}
            onChange={(secret) => form.setFieldValue('settings.sharedSecret', secret)}
            error={form.errors['settings.sharedSecret']}
          />
          <Group gap="xs" align="flex-end">
            <SaveBar
              action={isSet ? 'Replace the secret' : 'Set the secret'}
              dirty={form.values.settings.sharedSecret !== ''}
              busy={busy}
              refusal={refusal}
              onReset={reset}
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
