import { Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { draftsOf, fieldsOf, webhooksOf } from '../../forms/webhook-draft.ts';
import { WebhookFields } from '../../forms/webhook-fields.tsx';
import { useChange } from './use-change.ts';

/** The URLs and their headers. They are replaced whole. */
export function WebhooksForm({ destination }: { readonly destination: Destination }): ReactElement {
  const form = useForm({
    initialValues: { settings: { webhooks: draftsOf(destination.settings.webhooks) } },
    // Errors of rows that moved would stand at others.
    onValuesChange: () => form.clearErrors(),
  });
  const { busy, refusal, save, reset } = useChange(destination, form);
  const drafts = form.values.settings.webhooks;
  const submit = form.onSubmit(() =>
    save({ settings: { webhooks: webhooksOf(drafts) } }, 'The URLs are saved.', { fields: fieldsOf(drafts) }),
  );
  return (
    <SectionCard
      title="URLs"
      description="Each event goes to all of them at once; it is processed when one takes it. A check sends one real message, unsigned."
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <WebhookFields
            drafts={drafts}
            errors={form.errors}
            onChange={(changed) => form.setFieldValue('settings.webhooks', changed)}
          />
          <SaveBar action="Save the URLs" dirty={form.isDirty()} busy={busy} refusal={refusal} onReset={reset} />
        </Stack>
      </form>
    </SectionCard>
  );
}
