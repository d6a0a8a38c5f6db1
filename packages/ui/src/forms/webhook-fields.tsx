import { Button, Card, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { UrlCheck, UrlCheckStep } from '../../../server/src/admin/contract.ts';
import { destinationsApi } from '../api/destinations.ts';
import { AddButton } from '../components/add-button.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { OutcomeMark } from '../components/outcome-mark.tsx';
import { duration } from '../format/number.ts';
import {
  doubtAbout,
  type HeaderDraft,
  MAX_WEBHOOKS,
  newDraft,
  newHeaderDraft,
  targetOf,
  type WebhookDraft,
} from './webhook-draft.ts';

interface WebhookFieldsProps {
  readonly drafts: readonly WebhookDraft[];
  readonly onChange: (drafts: WebhookDraft[]) => void;
  /** Errors of the whole form, by path: `settings.webhooks.0.url`. */
  readonly errors: Readonly<Record<string, ReactNode>>;
  /** Signs the test messages of checks. Absent: they are not signed. */
  readonly sharedSecret?: string | null;
}

/** One to five URLs with their own headers. Each can be checked before it is saved. */
export function WebhookFields({ drafts, onChange, errors, sharedSecret = null }: WebhookFieldsProps): ReactElement {
  const isFull = drafts.length >= MAX_WEBHOOKS;
  return (
    <Stack gap="md">
      {drafts.map((draft, i) => (
        <WebhookField
          key={draft.key}
          id={`url-${i + 1}`}
          draft={draft}
          name={drafts.length === 1 ? 'URL' : `URL ${i + 1}`}
          sharedSecret={sharedSecret}
          errorAt={(path) => errors[`settings.webhooks.${i}.${path}`]}
          onChange={(changed) => onChange(drafts.map((each) => (each.key === draft.key ? changed : each)))}
          onRemove={drafts.length > 1 ? () => onChange(drafts.filter(({ key }) => key !== draft.key)) : null}
        />
      ))}
      <AddButton variant="light" size="sm" disabled={isFull} onClick={() => onChange([...drafts, newDraft()])}>
        {isFull ? `${MAX_WEBHOOKS} URLs are the most` : 'Add URL'}
      </AddButton>
    </Stack>
  );
}

interface WebhookFieldProps {
  /** Id of the URL field. */
  readonly id: string;
  readonly draft: WebhookDraft;
  /** `URL 2` */
  readonly name: string;
  readonly sharedSecret: string | null;
  /** The form's error at `url` or `headers.0.name`. */
  readonly errorAt: (path: string) => ReactNode;
  readonly onChange: (draft: WebhookDraft) => void;
  /** Null if it is the only URL. */
  readonly onRemove: (() => void) | null;
}

function WebhookField({ id, draft, name, sharedSecret, errorAt, onChange, onRemove }: WebhookFieldProps): ReactElement {
  const check = useMutation(destinationsApi.checkUrl());
  const edit = (changed: Partial<WebhookDraft>): void => {
    // The result of a check is valid only for the URL that was checked.
    check.reset();
    onChange({ ...draft, ...changed });
  };
  const found = (field: string): ReactNode => check.data && messageFor(check.data, field);

  const doubt = doubtAbout(draft.url);

  return (
    <Card component="fieldset" m={0} aria-label={name}>
      <Stack gap="xs">
        <Group gap="xs" align="flex-start" wrap="nowrap">
          <TextInput
            id={id}
            flex={1}
            label={name}
            type="url"
            placeholder="https://hooks.example.com/millrace"
            required
            value={draft.url}
            onChange={(event) => edit({ url: event.currentTarget.value })}
            error={errorAt('url') ?? found('url')}
          />
          {onRemove && (
            <IconButton
              variant="default"
              mt={24}
              size={36}
              icon={IconTrash}
              label={`Remove ${name}`}
              onClick={onRemove}
            />
          )}
        </Group>
        {draft.headers.map((header, i) => (
          <HeaderRow
            key={header.key}
            header={header}
            label={`Header ${i + 1} of ${name}`}
            error={errorAt(`headers.${i}.name`) ?? found(`headers.${header.name.trim()}`)}
            onChange={(changed) =>
              edit({ headers: draft.headers.map((each) => (each.key === header.key ? changed : each)) })
            }
            onRemove={() => edit({ headers: draft.headers.filter(({ key }) => key !== header.key) })}
          />
        ))}
        <Group gap="xs">
          <AddButton onClick={() => edit({ headers: [...draft.headers, newHeaderDraft()] })}>Add header</AddButton>
          <Button
            variant="default"
            size="xs"
            loading={check.isPending}
            disabled={draft.url.trim() === ''}
            onClick={() => check.mutate({ ...targetOf(draft), sharedSecret })}
          >
            Check {name}
          </Button>
        </Group>
      </Stack>
      <div aria-live="polite">
        {doubt && (
          <Text mt="xs" c="var(--millrace-warn)">
            {doubt}
          </Text>
        )}
        {check.data && <UrlCheckSteps check={check.data} label={`Check of ${name}`} />}
        {check.error && <ErrorState error={check.error} />}
      </div>
    </Card>
  );
}

function messageFor({ steps }: UrlCheck, field: string): string | undefined {
  return steps.find((step) => !step.ok && step.field === field)?.message;
}

interface HeaderRowProps {
  readonly header: HeaderDraft;
  /** `Header 1 of URL 2` */
  readonly label: string;
  readonly error: ReactNode;
  readonly onChange: (header: HeaderDraft) => void;
  readonly onRemove: () => void;
}

/** One static header: its name and its value. */
function HeaderRow({ header, label, error, onChange, onRemove }: HeaderRowProps): ReactElement {
  return (
    <Group gap="xs" align="flex-start" wrap="nowrap">
      <TextInput
        flex="1 1 120px"
        miw={0}
        aria-label={`${label}, name`}
        placeholder="X-Team"
        value={header.name}
        error={error}
        onChange={(event) => onChange({ ...header, name: event.currentTarget.value })}
      />
      <TextInput
        flex="2 1 160px"
        miw={0}
        aria-label={`${label}, value`}
        placeholder="growth"
        value={header.value}
        onChange={(event) => onChange({ ...header, value: event.currentTarget.value })}
      />
      <IconButton variant="default" size={36} icon={IconX} label={`Remove ${label}`} onClick={onRemove} />
    </Group>
  );
}

const NAMES: Readonly<Record<UrlCheckStep['name'], string>> = {
  url: 'URL',
  headers: 'Headers',
  address: 'Address',
  connect: 'Connection',
  tls: 'Certificate',
  message: 'Test message',
};

/** The steps of a URL check, and the endpoint's answer to the test message. */
function UrlCheckSteps(props: { readonly check: UrlCheck; readonly label: string }): ReactElement {
  const { steps, result } = props.check;
  return (
    <Stack gap={6} mt="sm">
      <List aria-label={props.label} listStyleType="none" spacing={6} center={false} size="sm">
        {steps.map(({ name, ok, ms, message }) => (
          <List.Item
            key={name}
            icon={<OutcomeMark good={ok} label={ok ? 'passed' : 'failed'} />}
            styles={{ itemWrapper: { alignItems: 'flex-start' } }}
          >
            <Group gap={8} wrap="nowrap" align="baseline">
              <Text span fw={600}>
                {NAMES[name]}
              </Text>
              <Text span variant="aside">
                {duration(ms)}
              </Text>
            </Group>
            <Text c={ok ? 'dimmed' : 'var(--millrace-bad)'} style={{ overflowWrap: 'anywhere' }}>
              {message}
            </Text>
          </List.Item>
        ))}
      </List>
      {result?.answer && (
        <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
          It answered: <code>{result.answer}</code>
        </Text>
      )}
    </Stack>
  );
}
