import { SegmentedControl, TextInput } from '@mantine/core';
import type { ReactElement } from 'react';
import { choices } from '../../components/choices.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import type { SettingsForm } from './settings-values.ts';

const ORDERS = choices({ none: 'As they can be sent', user: 'In order, user by user' });

/** Whether calls of one user wait for each other. */
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
