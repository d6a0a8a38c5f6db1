import { Group, NumberInput, SegmentedControl, Select } from '@mantine/core';
import type { ReactElement } from 'react';
import { choices } from '../../components/choices.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

const MODES = choices({ any: 'Events of any age', limited: 'Refuse old events' });

/** How long ago an event may have happened that is delivered: keeps an import of history from a destination. */
export function EventAgeFields({ form }: { readonly form: SettingsForm }): ReactElement {
  return (
    <SectionCard
      title="Age of events"
      description="By the event's own timestamp, when it is accepted. An import of history can pass by a destination that acts at once, such as one that sends e-mails. What is refused is recorded as filtered."
    >
      <SegmentedControl
        aria-label="Which events are delivered, by their age"
        data={MODES}
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
