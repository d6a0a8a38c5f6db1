import { Button, Fieldset, Group, Menu, Skeleton, Stack, Switch, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { AlertSettings } from '../../../../server/src/admin/contract.ts';
import { ALERT_RULES, RULE_CODES } from '../../../../server/src/alerts/rules.ts';
import { type AlertsThing, alertsApi } from '../../api/alerts.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { notifyDone } from '../../components/notify.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { FormDialog } from '../../forms/form-dialog.tsx';
import { RuleValue } from '../../forms/rule-value.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { useMayChange } from '../../shell/session.ts';
import {
  type AddressDraft,
  type AlertValues,
  fieldsOf,
  KINDS,
  MOST_ADDRESSES,
  newAddress,
  valuesOf,
} from './alert-drafts.ts';
import { ShownOnce } from './shown-once.tsx';

/** Which conditions are incidents, and who is notified. */
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
    onSaved: () => notifyDone('The alerts are saved.'),
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
                w={320}
                maw="100%"
                {...form.getInputProps('endsAfter')}
              />
            </SectionCard>
            <SaveBar action="Save alerts" edit={edit} />
          </Stack>
        </Fieldset>
      </form>
      <FormDialog opened={made !== null} onClose={() => setMade(null)} title="The secret of the webhook">
        <ShownOnce
          value={made ?? ''}
          label="Secret"
          of="the secret"
          description="It verifies the signature of the notices (Standard Webhooks). It is not shown again."
          onClose={() => setMade(null)}
        />
      </FormDialog>
      <LeaveDialog when={() => dirty} title="Leave the alerts?" />
    </>
  );
}

/** Sends a test to each saved address, and shows the results. */
function AlertTest({ disabled }: { readonly disabled: boolean }): ReactElement {
  const test = useMutation(alertsApi.test());
  return (
    <Stack gap="xs">
      <Group>
        <Button variant="default" disabled={disabled} loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send a test to each address
        </Button>
      </Group>
      {test.error && <ErrorState error={test.error} />}
      <div role="status">
        {test.data?.items.map(({ addressId, kind, ok, detail }) => (
          <Group key={addressId} gap="xs">
            <StatusBadge tone={ok ? 'good' : 'bad'}>{ok ? 'sent' : 'failed'}</StatusBadge>
            <Text style={{ overflowWrap: 'anywhere' }}>
              {KINDS.find(({ value }) => value === kind)?.label}: {detail}
            </Text>
          </Group>
        ))}
      </div>
    </Stack>
  );
}

/** Each rule with its switch and its values. */
function RuleFields({ form }: { readonly form: UseFormReturnType<AlertValues> }): ReactElement {
  return (
    <>
      {RULE_CODES.map((code) => (
        <Stack key={code} gap="xs" mb="xs">
          <Switch
            label={ALERT_RULES[code].title}
            styles={{ label: { fontWeight: 600 } }}
            description={ALERT_RULES[code].means}
            {...form.getInputProps(`rules.${code}.enabled`, { type: 'checkbox' })}
          />
          <Group gap="sm" pl={46} align="flex-end">
            {Object.entries(ALERT_RULES[code].fields).map(([name, { fallback }]) => (
              <RuleValue
                key={name}
                code={code}
                name={name}
                placeholder={fallback}
                disabled={form.values.rules[code]['enabled'] !== true}
                {...form.getInputProps(`rules.${code}.${name}`)}
              />
            ))}
          </Group>
        </Stack>
      ))}
    </>
  );
}

interface AddressFieldsProps {
  readonly form: UseFormReturnType<AlertValues>;
  readonly saved: AlertSettings;
}

/** The addresses that are notified. */
function AddressFields({ form, saved }: AddressFieldsProps): ReactElement {
  const { addresses } = form.values;
  const change = (next: readonly AddressDraft[]): void => form.setFieldValue('addresses', next);
  return (
    <>
      {addresses.length === 0 && (
        <Text c="dimmed">No one is told. Incidents are shown on their page and on the overview.</Text>
      )}
      {addresses.map((draft, i) => {
        const { key, id, kind } = draft;
        const field = kind === 'email' ? 'to' : 'url';
        const label = `${KINDS.find(({ value }) => value === kind)?.label ?? kind}`;
        const shown = saved.addresses.find((address) => address.id === id)?.url ?? '';
        return (
          <Group key={key} gap="xs" align="flex-end" wrap="nowrap">
            <TextInput
              style={{ flex: 1, minWidth: 0 }}
              label={label}
              type={kind === 'email' ? 'email' : 'url'}
              required
              placeholder={kind === 'slack' && id !== null ? `${shown} (kept)` : PLACEHOLDERS[kind]}
              {...form.getInputProps(`addresses.${i}.${field}`)}
            />
            <IconButton
              size={36}
              variant="default"
              icon={IconTrash}
              label={`Remove the address ${draft[field] || shown || label}`}
              onClick={() => change(addresses.filter((other) => other !== draft))}
            />
          </Group>
        );
      })}
      <Group>
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              disabled={addresses.length >= MOST_ADDRESSES}
            >
              Add an address
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {KINDS.map(({ value, label }) => {
              const cannot = value === 'email' && !saved.canMail;
              return (
                <Menu.Item
                  key={value}
                  {...(cannot && WITH_REASON)}
                  onClick={() => change([...addresses, newAddress(value)])}
                >
                  {label}
                  {cannot && ': MILLRACE_SMTP_URL is not set'}
                </Menu.Item>
              );
            })}
          </Menu.Dropdown>
        </Menu>
      </Group>
    </>
  );
}

/** A disabled option stays readable, because it says why it is disabled. */
const WITH_REASON = { disabled: true, c: 'dimmed', opacity: 1 } as const;

const PLACEHOLDERS = {
  webhook: 'https://example.com/alerts',
  slack: 'https://hooks.slack.com/services/…',
  email: 'on-call@example.com',
};
