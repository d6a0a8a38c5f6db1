import {
  Anchor,
  Button,
  Card,
  Checkbox,
  Group,
  List,
  Skeleton,
  Stack,
  Switch,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { leadsHere } from '../../api/loopback.ts';
import { sourcesApi } from '../../api/sources.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { Names } from '../../components/names.tsx';
import { newStandardSecret, SecretField } from '../../components/secret-field.tsx';
import { senderOf } from '../../components/sent-by.tsx';
import { webhooksOf } from '../../forms/webhook-draft.ts';
import { WebhookFields } from '../../forms/webhook-fields.tsx';
import choice from '../sources/choice.module.css';
import { SourceForm } from '../sources/source-form.tsx';
import { SourceTypeIcon } from '../sources/source-types.tsx';
import type { WizardDraft, WizardForm } from './wizard-draft.ts';

export function DestinationStep({ form }: { readonly form: WizardForm }): ReactElement {
  return (
    <Stack gap="md">
      <Text>
        A destination of the kind <strong>Webhooks</strong>: each call of its sources goes to all of its URLs as one
        signed POST. Failed requests are tried again for hours.
      </Text>
      <TextInput
        label="Name"
        description="What gets the calls, as your team calls it."
        placeholder="Warehouse loader"
        required
        maxLength={200}
        {...form.getInputProps('name')}
      />
    </Stack>
  );
}

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

export function SecretStep({ form }: { readonly form: WizardForm }): ReactElement {
  return (
    <Stack gap="md">
      <Text>
        With a secret, each request carries <code>X-Signature</code>: HMAC-SHA1 of the body in lower-case hexadecimal.
        Your endpoint computes it over the raw bytes that it received. If both are equal, this service sent them.
      </Text>
      <Text>
        <AnchorLink to="/verify" target="_blank">
          How to verify it, and a place to try (opens a new tab)
        </AnchorLink>
      </Text>
      <SecretField
        label="Shared secret"
        description="Optional. Without it there is no X-Signature."
        {...form.getInputProps('settings.sharedSecret')}
      />
      <Checkbox
        label="Sign by Standard Webhooks too"
        description="webhook-id, webhook-timestamp and webhook-signature (HMAC-SHA256): published libraries verify them."
        checked={form.values.settings.standardSecret !== ''}
        onChange={({ currentTarget }) =>
          form.setFieldValue('settings.standardSecret', currentTarget.checked ? newStandardSecret() : '')
        }
      />
      {form.values.settings.standardSecret !== '' && (
        <SecretField
          label="Secret of Standard Webhooks"
          description="whsec_ and base64 of 24 to 64 bytes."
          make={newStandardSecret}
          {...form.getInputProps('settings.standardSecret')}
        />
      )}
    </Stack>
  );
}

/** Chooses the sources of the destination. */
export function SourcesStep({ form }: { readonly form: WizardForm }): ReactElement {
  const { data: sources, error, refetch } = useQuery(sourcesApi.list());
  if (!sources) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={120} />;
  if (sources.length === 0) {
    const refused = form.errors['sourceIds'] !== undefined;
    return (
      <Text {...(refused && { role: 'alert', c: 'var(--mantine-color-error)' })}>
        There is no source yet. Create the source whose calls this destination gets.
      </Text>
    );
  }
  return (
    <Checkbox.Group label="Calls of these sources are delivered" required {...form.getInputProps('sourceIds')}>
      <Stack gap="xs" mt="xs">
        {sources.map((source) => (
          <Choice key={source.id} source={source} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}

function Choice({ source: { id, name, type, enabled, sentBy } }: { readonly source: Source }): ReactElement {
  return (
    <Checkbox.Card value={id} className={choice['choice'] ?? ''} aria-label={name}>
      <Group gap="sm" wrap="nowrap">
        <Checkbox.Indicator />
        <SourceTypeIcon type={type} />
        <div>
          <Text fw={500} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Text>
          <Text variant="aside">
            {sentBy !== null ? senderOf(sentBy) : enabled ? type : `${type} · off: its calls are rejected`}
          </Text>
        </div>
      </Group>
    </Checkbox.Card>
  );
}

/** Creates a source inside the wizard, and selects it. If no source exists, this form is the whole step. */
export function InlineSource({ form }: { readonly form: WizardForm }): ReactElement | null {
  const { data: sources } = useQuery(sourcesApi.list());
  const [creating, { open, close }] = useDisclosure(false);
  const created = ({ id }: Source): void => {
    form.setFieldValue('sourceIds', (chosen) => [...chosen, id]);
    close();
  };
  if (!sources) return null;
  const isFirst = sources.length === 0;
  if (!creating && !isFirst) {
    return (
      <Button mt="md" variant="light" leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
        New source
      </Button>
    );
  }
  return (
    <Card mt="md" component="section" aria-label="New source">
      <Title order={3} mb="sm">
        New source
      </Title>
      <SourceForm onCreated={created} {...(!isFirst && { onCancel: close })} />
    </Card>
  );
}

interface SwitchOnStepProps {
  readonly form: WizardForm;
  readonly onEdit: (step: number) => void;
}

/** A summary of all steps, and the switch that turns the destination on. */
export function SwitchOnStep({ form, onEdit }: SwitchOnStepProps): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const { name, sourceIds, settings } = form.values;
  const chosen = sources.filter(({ id }) => sourceIds.includes(id));
  return (
    <Stack gap="md">
      <Stack component="dl" gap="sm" m={0}>
        <Line label="Name" onEdit={() => onEdit(0)}>
          {name.trim()}
        </Line>
        <Line label="Sources" onEdit={() => onEdit(1)}>
          <Names of={chosen.map((source) => source.name)} />
        </Line>
        <Line label={settings.webhooks.length === 1 ? 'URL' : 'URLs'} onEdit={() => onEdit(2)}>
          <List listStyleType="none" size="sm">
            {webhooksOf(settings.webhooks).map(({ url, headers = {} }, i) => (
              <List.Item key={settings.webhooks[i]?.key}>
                {url}
                <HeaderNames names={Object.keys(headers)} />
              </List.Item>
            ))}
          </List>
        </Line>
        <Line label="Shared secret" onEdit={() => onEdit(3)}>
          {signedBy(settings)}
        </Line>
      </Stack>
      <Switch
        label="Switch it on now"
        description="From then on every call that its sources send goes out. Switched off, nothing is sent."
        {...form.getInputProps('enabled', { type: 'checkbox' })}
      />
    </Stack>
  );
}

interface LineProps {
  readonly label: string;
  readonly onEdit: () => void;
  readonly children: ReactNode;
}

function Line({ label, onEdit, children }: LineProps): ReactElement {
  return (
    <Fact label={label}>
      <Group justify="space-between" align="baseline" wrap="nowrap" gap="sm">
        <div>{children}</div>
        <Anchor component="button" type="button" onClick={onEdit} aria-label={`Change: ${label}`}>
          Change
        </Anchor>
      </Group>
    </Fact>
  );
}

function HeaderNames({ names }: { readonly names: readonly string[] }): ReactElement | null {
  if (names.length === 0) return null;
  return <Text variant="aside">with {names.join(', ')}</Text>;
}

function signedBy({ sharedSecret, standardSecret }: WizardDraft['settings']): string {
  const schemes = [
    ...(sharedSecret === '' ? [] : ['X-Signature']),
    ...(standardSecret === '' ? [] : ['Standard Webhooks']),
  ];
  return schemes.length === 0 ? 'None: requests are not signed' : `Every request is signed: ${schemes.join(' and ')}`;
}
