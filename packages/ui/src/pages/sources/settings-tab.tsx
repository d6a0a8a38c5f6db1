import { Group, NumberInput, Select, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Quota, Source } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { DeleteButton } from '../../components/delete-button.tsx';
import { LeaveDialog } from '../../components/leave-dialog.tsx';
import { Names } from '../../components/names.tsx';
import { notifyDone } from '../../components/notify.ts';
import { OwnRules } from '../../forms/own-rules.tsx';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { type Fields, useEditForm } from '../../forms/use-edit-form.ts';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { THINGS } from '../../shell/things.ts';
import { SentByNote } from './sent-by-note.tsx';
import { useShownSource } from './shown-source.ts';
import { SOURCE_TYPES } from './source-types.tsx';

export function SourceSettingsTab(): ReactElement {
  const source = useShownSource();
  return (
    <ForAdmins title="Only admins change sources">
      {source.sentBy !== null ? (
        <SentByNote sentBy={source.sentBy} />
      ) : (
        <Stack gap="md" maw={820}>
          <SettingsForm source={source} />
          <DeleteSource source={source} />
        </Stack>
      )}
    </ForAdmins>
  );
}

function DeleteSource({ source }: { readonly source: Source }): ReactElement {
  const { data: destinations } = useQuery(destinationsApi.list());
  const fed = destinations?.filter(({ sourceIds }) => sourceIds.includes(source.id)).map(({ name }) => `“${name}”`);
  return (
    <SectionCard title="Delete" description="It can't be undone. To stop its calls for a while, switch it off instead.">
      <Group>
        <DeleteButton kind={THINGS.source} of={source} remove={sourcesApi.remove()} label="Delete this source">
          Its write key is refused from now on: every client that carries it loses its calls.{' '}
          {fed === undefined ? (
            'Which destinations get calls from it is not known yet.'
          ) : fed.length === 0 ? (
            'No destination gets calls from it.'
          ) : (
            <>
              It leaves <Names of={fed} />; what still waits there from it is recorded as filtered.
            </>
          )}{' '}
          Delivered messages can still be seen. From then on, a deletion of its users sends no notice to its
          destinations.
        </DeleteButton>
      </Group>
    </SectionCard>
  );
}

/** All settings of a source, saved together. */
function SettingsForm({ source }: { readonly source: Source }): ReactElement {
  const edit = useEditForm({
    thing: source,
    api: sourcesApi,
    valuesOf,
    fieldsOf,
    onSaved: () => notifyDone('The settings are saved.'),
  });
  const { form, save, dirty } = edit;
  return (
    <form onSubmit={form.onSubmit(save)}>
      <Stack gap="md">
        <SectionCard
          title="Name and kind"
          description="Clients use the write key: the name can change. The kind decides the limits where none are set below."
        >
          <TextInput label="Name" required {...form.getInputProps('name')} />
          <Select
            label="Kind"
            allowDeselect={false}
            description="What the calls of a server source say is trusted. A source whose write key was public can't become one."
            data={SOURCE_TYPES.map(({ value, label, about }) => ({
              value,
              label: `${label}: ${about.toLowerCase()}`,
              disabled: value === 'server' && source.type !== 'server',
            }))}
            {...form.getInputProps('type')}
          />
        </SectionCard>
        <SectionCard
          title="Limits"
          description={`${form.values.type === 'server' ? '' : 'The write key of a page or an app is public. One address may send a quarter of the rates. '}Requests beyond a limit are refused with 429 and counted as rejected.`}
        >
          <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md">
            {BOUNDS.map(([field, label]) => (
              <NumberInput
                key={field}
                label={label}
                placeholder="No limit"
                min={1}
                allowDecimal={false}
                thousandSeparator=","
                {...form.getInputProps(`quota.${field}`)}
              />
            ))}
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
        </SectionCard>
        <OwnRules
          of="source"
          rules={form.values.alerts}
          errors={form.errors}
          onChange={(rules) => form.setFieldValue('alerts', rules)}
        />
        <SaveBar action="Save settings" edit={edit} />
      </Stack>
      <LeaveDialog when={() => dirty} title={`Leave the settings of “${source.name}”?`} />
    </form>
  );
}

const BOUNDS = [
  ['eventsPerSecond', 'Events per second'],
  ['bytesPerSecond', 'Bytes per second'],
  ['eventsPerDay', 'Events per day (UTC)'],
] as const satisfies readonly [keyof Quota, string][];

/** The settings as they are typed. An empty number means no limit. */
type Values = Pick<Source, 'name' | 'type' | 'alerts'> & {
  allowedOrigins: string;
  quota: Record<string, number | string>;
};

function valuesOf({ name, type, allowedOrigins, limits, alerts }: Source): Values {
  const quota = Object.fromEntries(BOUNDS.map(([field]) => [field, limits[field] ?? '']));
  return { name, type, allowedOrigins: allowedOrigins.join('\n'), quota, alerts };
}

function fieldsOf({ name, type, allowedOrigins, quota, alerts }: Values): Fields {
  const bounds = Object.entries(quota).map(([field, bound]) => [field, bound === '' ? null : bound]);
  return { name, type, allowedOrigins: originsOf(allowedOrigins), quota: Object.fromEntries(bounds), alerts };
}

function originsOf(text: string): string[] {
  return text.split(/\s+/).filter((origin) => origin !== '');
}
