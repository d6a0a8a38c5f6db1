import { Group, NumberInput, SegmentedControl, Select, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Destination } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';

const MODES = [
  { value: 'any', label: 'Events of any age' },
  { value: 'limited', label: 'Refuse old events' },
];

const HOURS: Readonly<Record<string, number>> = { hours: 1, days: 24 };

/** How long ago an event may have happened that is delivered: keeps an import of history from a destination. */
export function EventAgeForm({ destination }: { readonly destination: Destination }): ReactElement {
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf,
    fieldsOf: (values) => ({ maxEventAgeHours: hoursOf(values) }),
    words: 'The age of events is saved.',
  });
  const { form, save } = edit;
  const submit = form.onSubmit((values) => {
    if (values.mode === 'limited' && typeof values.maxEventAgeHours !== 'number') {
      form.setFieldError('maxEventAgeHours', 'Say how old an event may be');
      return;
    }
    save();
  });
  return (
    <SectionCard
      title="Age of events"
      description="By the event's own timestamp, when it is accepted. An import of history can pass by a destination that acts at once, such as one that sends e-mails. What is refused is recorded as filtered."
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <SegmentedControl
            aria-label="Which events are delivered, by their age"
            data={MODES}
            {...form.getInputProps('mode')}
          />
          {form.values.mode === 'limited' && (
            <Group gap="sm" align="flex-end">
              <NumberInput
                label="Refuse events older than"
                w={200}
                min={1}
                allowDecimal={false}
                allowNegative={false}
                {...form.getInputProps('maxEventAgeHours')}
              />
              <Select
                aria-label="Unit of the age"
                w={120}
                data={['hours', 'days']}
                allowDeselect={false}
                {...form.getInputProps('unit')}
              />
            </Group>
          )}
          <SaveBar action="Save the age" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}

type Values = {
  readonly mode: string;
  /** In the unit; named as the API has it, so that its errors find it. Empty while nothing is typed. */
  readonly maxEventAgeHours: number | string;
  readonly unit: string;
};

function valuesOf({ maxEventAgeHours: hours }: Destination): Values {
  const unit = hours !== null && hours % 24 !== 0 ? 'hours' : 'days';
  return {
    mode: hours === null ? 'any' : 'limited',
    maxEventAgeHours: hours === null ? 7 : hours / (HOURS[unit] ?? 1),
    unit,
  };
}

function hoursOf({ mode, maxEventAgeHours, unit }: Values): number | null {
  return mode === 'any' ? null : Number(maxEventAgeHours) * (HOURS[unit] ?? 1);
}
