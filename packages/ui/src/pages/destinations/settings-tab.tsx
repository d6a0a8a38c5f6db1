import { Alert, Fieldset, Group, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { DeleteButton } from '../../components/delete-button.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { notifyDone } from '../../components/notify.ts';
import { SecretCopyNote } from '../../components/secret-field.tsx';
import { looked, written } from '../../conditions/written.ts';
import { count } from '../../format/number.ts';
import classes from '../../forms/columns.module.css';
import { OwnRules } from '../../forms/own-rules.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { WebhookFields } from '../../forms/webhook-fields.tsx';
import { useMayChange } from '../../shell/session.ts';
import { THINGS } from '../../shell/things.ts';
import { BasicsFields, EventAgeFields, OrderFields, SuccessFields, TrackFilterFields } from './delivery-fields.tsx';
import { PolicyFields } from './policy-fields.tsx';
import { overlapOf, SecretFields, StandardFields } from './secret-fields.tsx';
import { fieldsOf, valuesOf } from './settings-values.ts';
import { ShapingFields } from './shaping-fields.tsx';
import { TestMessage } from './test-message.tsx';

const route = getRouteApi('/shell/destinations/$id/settings');

/** All settings of a destination. A viewer sees them read-only. */
export function SettingsTab(): ReactElement {
  const { id: destinationId } = route.useParams();
  const mayChange = useMayChange();
  const { data: destination } = useSuspenseQuery(destinationsApi.one(destinationId));
  return (
    <Stack gap="md">
      {!mayChange && (
        <Alert color="gray" maw={820}>
          You may look at these settings. Ask an admin to change them.
        </Alert>
      )}
      <SettingsForm destination={destination} />
      {mayChange && <DeleteDestination destination={destination} />}
    </Stack>
  );
}

function DeleteDestination({ destination }: { readonly destination: Destination }): ReactElement {
  const { data: counts } = useQuery(destinationsApi.counts(destination.id));
  const waiting = counts?.waiting;
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop deliveries for a while, pause it instead.">
      <Group>
        <DeleteButton
          kind={THINGS.destination}
          of={destination}
          remove={destinationsApi.remove()}
          label="Delete this destination"
        >
          Its URLs, headers, secret and filter are deleted.{' '}
          {waiting === undefined
            ? 'How many events wait for it is not known yet: they are dropped.'
            : waiting === 0
              ? 'Nothing waits for it.'
              : `${count(waiting)} ${waiting === 1 ? 'event that waits for it is' : 'events that wait for it are'} dropped, never to be delivered.`}{' '}
          Delivered messages can still be seen on their own pages.
        </DeleteButton>
      </Group>
    </SectionCard>
  );
}

/** All settings of a destination, saved together, with a test beside them. */
function SettingsForm({ destination }: { readonly destination: Destination }): ReactElement {
  const mayChange = useMayChange();
  const { id, revision, name, settings } = destination;
  const isSigned = settings.sharedSecret.set;
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf,
    fieldsOf,
    validate: ({ filter }) => {
      // An unchanged filter was saved before, so its gaps are ignored.
      const isSaved = JSON.stringify(written(filter)) === JSON.stringify(destination.filter);
      const gaps = isSaved ? [] : looked(filter).gaps;
      return Object.fromEntries(gaps.map(({ path, message }) => [`filter.${path}`, message]));
    },
    onSaved: () => notifyDone('The settings are saved.'),
    whole: ['filter'],
  });
  const { form, save, dirty } = edit;
  const { webhooks, sharedSecret, standardSecret, secretOverlap } = form.values.settings;
  const replaced = [
    { called: 'shared secret', of: settings.sharedSecret, by: sharedSecret, header: 'X-Signature-Previous' },
    {
      called: 'secret of Standard Webhooks',
      of: settings.standardSecret,
      by: standardSecret,
      header: 'webhook-signature',
    },
  ].filter(({ of, by }) => of.set && by !== '');
  const update = useMutation(destinationsApi.update());
  const [removing, remove] = useDisclosure(false);
  const [replacing, replace] = useDisclosure(false);
  return (
    <div className={classes['columns']}>
      <form onSubmit={form.onSubmit(replaced.length > 0 ? replace.open : save)} noValidate>
        <Fieldset variant="unstyled" m={0} disabled={!mayChange}>
          <Stack gap="md">
            <BasicsFields form={form} />
            <SectionCard
              title="URLs"
              description="Each event goes to all of them at once. A check sends one real message, signed where a new secret is entered."
            >
              <WebhookFields
                drafts={webhooks}
                errors={form.errors}
                sharedSecret={sharedSecret || null}
                onChange={(changed) => form.setFieldValue('settings.webhooks', changed)}
              />
              {(webhooks.length > 1 || destination.success === 'all') && <SuccessFields form={form} />}
            </SectionCard>
            <SecretFields
              form={form}
              secret={settings.sharedSecret}
              onRemove={isSigned && mayChange ? remove.open : undefined}
            />
            <StandardFields form={form} secret={settings.standardSecret} />
            <PolicyFields form={form} />
            <OrderFields form={form} />
            <TrackFilterFields form={form} />
            <EventAgeFields form={form} />
            <ShapingFields form={form} />
            <OwnRules
              of="destination"
              rules={form.values.alerts}
              errors={form.errors}
              onChange={(rules) => form.setFieldValue('alerts', rules)}
            />
            <SaveBar action="Save settings" edit={edit} />
          </Stack>
        </Fieldset>
      </form>
      {mayChange && (
        <div className={classes['aside']}>
          <TestMessage key={destination.revision} destination={destination} isEdited={dirty} />
        </div>
      )}
      <LeaveDialog when={() => dirty} title={`Leave the settings of “${name}”?`} />
      <ConfirmDialog
        opened={replacing}
        onClose={replace.close}
        title={`Replace the ${replaced.map(({ called }) => called).join(' and the ')} of “${name}”?`}
        action="Replace the secret"
        onConfirm={async () => save()}
      >
        <Stack gap="sm">
          <span>
            Every attempt from then on is signed with the new one.{' '}
            {overlapWords(secretOverlap, replaced.map(({ header }) => header).join(' and '))}
            {replaced.some(({ of }) => overlapOf(of) !== null) &&
              ' The secret before the old one, which still signs too, ends at once: receivers that know no other will refuse the requests.'}
          </span>
          {replaced.map(({ called, by }) => (
            <SecretCopyNote key={called} secret={by} />
          ))}
        </Stack>
      </ConfirmDialog>
      <ConfirmDialog
        opened={removing}
        onClose={remove.close}
        title={`Remove the shared secret of “${name}”?`}
        action="Remove the secret"
        onConfirm={() => update.mutateAsync({ id, revision, settings: { sharedSecret: null } })}
      >
        Requests have no X-Signature from then on. Receivers that check it will refuse them.
      </ConfirmDialog>
    </div>
  );
}

function overlapWords(overlap: string, header: string): string {
  return overlap === '0s'
    ? 'The old one ends now: receivers that do not know the new one will refuse the requests.'
    : `The old one signs beside it for ${overlap}, in ${header}; change your receivers until then.`;
}
