import { Fieldset, Modal, Skeleton, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { type AlertsThing, alertsApi } from '../../api/alerts.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { useMayChange } from '../../shell/session.ts';
import { AddressFields } from './address-fields.tsx';
import { fieldsOf, valuesOf } from './alert-drafts.ts';
import { AlertTest } from './alert-test.tsx';
import { RuleFields } from './rule-fields.tsx';
import { ShownOnce } from './shown-once.tsx';

/** What is an incident, and who is told of it. */
export function AlertsPage(): ReactElement {
  const { data, error, refetch } = useQuery(alertsApi.one());
  return (
    <>
      <PageHeader
        title="Alerts"
        documentTitle="Alerts · Settings"
        description="Rules that watch every destination, source and this service, and who is told when one of them fails."
      />
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {data ? <AlertsForm settings={data} /> : !error && <Skeleton height={420} />}
    </>
  );
}

function AlertsForm({ settings }: { readonly settings: AlertsThing }): ReactElement {
  const mayChange = useMayChange();
  const [made, setMade] = useState<string | null>(null);
  const edit = useEditForm({
    thing: settings,
    api: { one: alertsApi.one, update: () => alertsApi.update((secrets) => setMade(secrets.join('\n') || null)) },
    valuesOf,
    fieldsOf,
    words: 'The alerts are saved.',
  });
  const { form, save, dirty } = edit;
  return (
    <>
      <form onSubmit={form.onSubmit(save)} noValidate>
        <Fieldset variant="unstyled" m={0} disabled={!mayChange}>
          <Stack gap="md">
            <SectionCard
              title="Addresses"
              description="Each gets every notice. Webhooks are signed by Standard Webhooks."
            >
              <AddressFields form={form} saved={settings} />
              {mayChange && <AlertTest disabled={dirty || settings.addresses.length === 0} />}
            </SectionCard>
            <SectionCard
              title="Rules"
              description="Of all destinations and sources; each can have its own, in its settings. Durations read 90s, 5m, 4h."
            >
              <RuleFields form={form} />
              <TextInput
                label="An incident ends when no rule of it held for"
                autoComplete="off"
                w={320}
                maw="100%"
                {...form.getInputProps('endsAfter')}
              />
            </SectionCard>
            <SaveBar action="Save alerts" edit={edit} />
          </Stack>
        </Fieldset>
      </form>
      <Modal opened={made !== null} onClose={() => setMade(null)} title="The secret of the webhook">
        <ShownOnce
          value={made ?? ''}
          label="Secret"
          of="the secret"
          description="It verifies the signature of the notices (Standard Webhooks). It is not shown again."
          onClose={() => setMade(null)}
        />
      </Modal>
      <LeaveDialog when={() => dirty} title="Leave the alerts?" />
    </>
  );
}
