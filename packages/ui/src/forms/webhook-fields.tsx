import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { AddButton } from '../components/add-button.tsx';
import { MAX_WEBHOOKS, newDraft, type WebhookDraft } from './webhook-draft.ts';
import { WebhookField } from './webhook-field.tsx';

interface WebhookFieldsProps {
  readonly drafts: readonly WebhookDraft[];
  readonly onChange: (drafts: WebhookDraft[]) => void;
  /** Of the whole form, by path: `settings.webhooks.0.url`. */
  readonly errors: Readonly<Record<string, ReactNode>>;
  /** Signs the test messages of checks; unsigned when absent. */
  readonly sharedSecret?: string | null;
}

/** One to five URLs with their own headers, each of which can be checked before it is saved. */
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
