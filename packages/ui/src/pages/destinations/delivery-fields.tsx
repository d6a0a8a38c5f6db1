import {
  Group,
  MultiSelect,
  NumberInput,
  Radio,
  SegmentedControl,
  Select,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { TrackFilter } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { sourcesApi } from '../../api/sources.ts';
import { choices } from '../../components/choices.ts';
import { clearable } from '../../components/clearable.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { filterOf, type SettingsForm } from './settings-values.ts';

/** The fields of name and sources. */
export function BasicsFields({ form }: { readonly form: SettingsForm }): ReactElement {
  const { data: sources = [] } = useQuery(sourcesApi.list());
  const mayChange = useMayChange();
  return (
    <SectionCard title="Name and sources">
      <TextInput label="Name" required {...form.getInputProps('name')} />
      <MultiSelect
        label="Sources"
        description="Calls from then on. What a disconnected source still had waiting is recorded as filtered."
        placeholder={form.values.sourceIds.length === 0 ? 'None: nothing is delivered' : ''}
        data={sources.map(({ id, name, sentBy }) => ({
          value: id,
          label: sentBy === null ? name : `${name} (sent by this service)`,
        }))}
        searchable
        disabled={!mayChange}
        {...form.getInputProps('sourceIds')}
      />
    </SectionCard>
  );
}

const AGES = choices({ any: 'Events of any age', limited: 'Refuse old events' });

/** The greatest age of a delivered event. Keeps imported history from a destination. */
export function EventAgeFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <SectionCard
      title="Age of events"
      description="By the event's own timestamp, when it is accepted. An import of history can pass by a destination that acts at once, such as one that sends e-mails. What is refused is recorded as filtered."
    >
      <SegmentedControl
        aria-label="Which events are delivered, by their age"
        data={AGES}
        {...form.getInputProps('maxEventAgeHours.mode')}
      />
      {form.values.maxEventAgeHours.mode === 'limited' && (
        <Group gap="sm" align="flex-end">
          <NumberInput
            label="Refuse events older than"
            w={200}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            {...form.getInputProps('maxEventAgeHours.amount')}
            error={form.errors['maxEventAgeHours']}
          />
          <Select
            aria-label="Unit of the age"
            w={120}
            data={['hours', 'days']}
            allowDeselect={false}
            {...form.getInputProps('maxEventAgeHours.unit')}
          />
        </Group>
      )}
    </SectionCard>
  );
}

const ORDERS = choices({ none: 'In any order', user: 'In order, user by user' });

/** Whether the calls of a user wait for each other. */
export function OrderFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <SectionCard
      title="Order"
      description="Many calls are under way at once, and one that is tried again arrives late. In order, a call of a user goes out when the one before has ended, in the order in which they were accepted; other users do not wait for it, unless more than 1,024 calls wait so."
    >
      <SegmentedControl aria-label="Order of the calls" data={ORDERS} {...form.getInputProps('order')} />
      {form.values.order === 'user' && (
        <TextInput
          label="Longest hold"
          description="A call that is tried again holds up the later ones of its user for so long: 1s to 7d. Then they go on, and their record says so."
          {...form.getInputProps('orderHold')}
        />
      )}
    </SectionCard>
  );
}

/** When a message to several URLs counts as processed, and what happens for the URLs that did not take it. */
export function SuccessFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <Radio.Group label="A message is processed when" {...form.getInputProps('success')}>
      <Stack gap="xs" mt="xs">
        <Radio
          value="any"
          label="Any URL has taken it"
          description="The others are not tried again. It fails when none takes it."
        />
        <Radio
          value="all"
          label="All URLs have taken it"
          description="A URL that missed it is tried again, alone. It fails when one refuses it for good, or misses it until the retry window ends."
        />
      </Stack>
    </Radio.Group>
  );
}

const MODES = choices({ none: 'All events', allow: 'Only these', deny: 'All but these' });

/** Which track calls are delivered, by event name. Other calls are always delivered. */
export function TrackFilterFields({ form }: { readonly form: SettingsForm }): ReactElement {
  const { data } = useInfiniteQuery({ ...eventsApi.search({ type: 'track' }), enabled: useMayLook() });
  const recent = [...new Set(data?.pages.flatMap(({ items }) => items).flatMap(({ event }) => event ?? []))].sort();
  const mayChange = useMayChange();
  const filter = filterOf(form.values.trackFilter);
  return (
    <SectionCard
      title="Track filter"
      description="By the name of a track call's event, upper and lower case included. Calls of other types are not filtered."
    >
      <SegmentedControl
        aria-label="Which track calls are delivered"
        data={MODES}
        {...form.getInputProps('trackFilter.mode')}
      />
      {filter && (
        <TagsInput
          label="Event names"
          description="Type a name and press Enter, or choose among those that came lately."
          data={recent}
          splitChars={[]}
          {...clearable('Remove all names')}
          disabled={!mayChange}
          {...form.getInputProps('trackFilter.events')}
        />
      )}
      {filter && <TrackFilterEffect filter={filter} recent={recent} />}
    </SectionCard>
  );
}

interface TrackFilterEffectProps {
  readonly filter: TrackFilter;
  /** Event names of recent events. */
  readonly recent: readonly string[];
}

/** What the filter would have done with recent events. */
function TrackFilterEffect({ filter, recent }: TrackFilterEffectProps): ReactElement | null {
  if (recent.length === 0) return null;
  return (
    <div>
      <Text c="dimmed" mb={6}>
        Of the events that came lately:
      </Text>
      <Group gap={8} component="ul" mah={220} style={{ overflow: 'auto', overflowWrap: 'anywhere' }}>
        {recent.map((name) => {
          const passes = filter.events.includes(name) === (filter.mode === 'allow');
          return (
            <Group key={name} component="li" gap={8} wrap="nowrap" fz="sm">
              {name}
              <StatusBadge tone={passes ? 'good' : 'off'}>{passes ? 'delivered' : 'left out'}</StatusBadge>
            </Group>
          );
        })}
      </Group>
    </div>
  );
}
