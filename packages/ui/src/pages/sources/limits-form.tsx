import { NumberInput, SimpleGrid, Stack, Textarea } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Quota, Source } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';

/** As it is typed: an empty number is no bound. */
type Limits = {
  readonly allowedOrigins: string;
  readonly quota: Readonly<Record<keyof Quota, number | string>>;
};

/** Who may send with the write key, and how much. */
export function LimitsForm({ source }: { readonly source: Source }): ReactElement {
  const edit = useEditForm({
    thing: source,
    api: sourcesApi,
    valuesOf: limitsOf,
    fieldsOf: changeOf,
    words: 'Limits are saved.',
    places: (values) =>
      Object.fromEntries(changeOf(values).allowedOrigins.map((_, i) => [`allowedOrigins.${i}`, 'allowedOrigins'])),
  });
  const { form, save } = edit;
  const isServer = source.type === 'server';
  const bound = (field: keyof Quota, label: string): ReactElement => (
    <NumberInput
      label={label}
      placeholder="No limit"
      min={1}
      allowDecimal={false}
      thousandSeparator=","
      {...form.getInputProps(`quota.${field}`)}
    />
  );
  return (
    <SectionCard
      title="Limits"
      description={
        isServer
          ? 'Requests beyond a limit are refused with 429 and counted as rejected.'
          : 'The write key of a page or an app is public. One address may send a quarter of the rates. Requests beyond a limit are refused with 429 and counted as rejected.'
      }
    >
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
            {bound('eventsPerSecond', 'Events per second')}
            {bound('bytesPerSecond', 'Bytes per second')}
            {bound('eventsPerDay', 'Events per day (UTC)')}
          </SimpleGrid>
          <Textarea
            label="Allowed origins"
            description="One a line. Calls of pages elsewhere are refused; empty allows all pages."
            placeholder="https://shop.example.com"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('allowedOrigins')}
          />
          <SaveBar action="Save limits" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}

function limitsOf({ allowedOrigins, limits }: Source): Limits {
  return {
    allowedOrigins: allowedOrigins.join('\n'),
    quota: {
      eventsPerSecond: limits.eventsPerSecond ?? '',
      bytesPerSecond: limits.bytesPerSecond ?? '',
      eventsPerDay: limits.eventsPerDay ?? '',
    },
  };
}

function changeOf({ allowedOrigins, quota }: Limits): { allowedOrigins: string[]; quota: Quota } {
  const bound = (value: number | string): number | null => (typeof value === 'number' ? value : null);
  return {
    allowedOrigins: allowedOrigins.split(/\s+/).filter((text) => text !== ''),
    quota: {
      eventsPerSecond: bound(quota.eventsPerSecond),
      bytesPerSecond: bound(quota.bytesPerSecond),
      eventsPerDay: bound(quota.eventsPerDay),
    },
  };
}
