import { Button, Card, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconTrash, IconX } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { UrlCheck } from '../../../server/src/admin/contract.ts';
import { destinationsApi } from '../api/destinations.ts';
import { AddButton } from '../components/add-button.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { UrlCheckSteps } from './url-check-steps.tsx';
import { doubtAbout, type HeaderDraft, newHeaderDraft, targetOf, type WebhookDraft } from './webhook-draft.ts';

interface WebhookFieldProps {
  /** Of the field of the URL. */
  readonly id: string;
  readonly draft: WebhookDraft;
  /** `URL 2` */
  readonly name: string;
  readonly sharedSecret: string | null;
  /** The form's own message at `url` or `headers.0.name`. */
  readonly errorAt: (path: string) => ReactNode;
  readonly onChange: (draft: WebhookDraft) => void;
  /** Null where it is the only one. */
  readonly onRemove: (() => void) | null;
}

export function WebhookField({
  id,
  draft,
  name,
  sharedSecret,
  errorAt,
  onChange,
  onRemove,
}: WebhookFieldProps): ReactElement {
  const check = useMutation(destinationsApi.checkUrl());
  const edit = (changed: Partial<WebhookDraft>): void => {
    // What was found holds for what was checked.
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
