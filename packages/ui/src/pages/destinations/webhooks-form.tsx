import { Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { draftsOf, fieldsOf, webhooksOf } from '../../forms/webhook-draft.ts';
import { WebhookFields } from '../../forms/webhook-fields.tsx';

/** The URLs and their headers. They are replaced whole. */
export function WebhooksForm({ destination }: { readonly destination: Destination }): ReactElement {
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf: ({ settings }) => ({ settings: { webhooks: draftsOf(settings.webhooks) } }),
    fieldsOf: ({ settings }) => ({ 'settings.webhooks': webhooksOf(settings.webhooks) }),
    words: 'The URLs are saved.',
    places: ({ settings }) => fieldsOf(settings.webhooks),
  });
  const { form, save } = edit;
  return (
    <SectionCard
      title="URLs"
      description="Each event goes to all of them at once; it is processed when one takes it. A check sends one real message, unsigned."
    >
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
          <WebhookFields
            drafts={form.values.settings.webhooks}
            errors={form.errors}
            onChange={(changed) => form.setFieldValue('settings.webhooks', changed)}
          />
          <SaveBar action="Save the URLs" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}
