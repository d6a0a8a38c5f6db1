import { Button, Group, Select, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { clearable } from '../../components/clearable.ts';
import { TimeFilter } from '../../components/time-filter.tsx';
import { type Range, rangeFrom, searchFor } from '../../format/range.ts';
import { type DeliverySearch, isState, STATES } from './delivery-search.ts';

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  readonly onChange: (search: DeliverySearch) => void;
}

/** Choices take effect at once, texts by Enter or the button. What the address says by other ways is shown too. */
export function DeliveryFilters({ search, onChange }: DeliveryFiltersProps): ReactElement {
  const [event, setEvent] = useState(search.event ?? '');
  const [userId, setUserId] = useState(search.userId ?? '');
  useEffect(() => setEvent(search.event ?? ''), [search.event]);
  useEffect(() => setUserId(search.userId ?? ''), [search.userId]);
  const apply = (changed: { readonly state?: string | null; readonly range?: Range | null } = {}): void => {
    const state = changed.state === undefined ? search.state : (changed.state ?? undefined);
    const range = changed.range === undefined ? rangeFrom(search) : changed.range;
    onChange({
      ...(state !== undefined && { state }),
      ...(event.trim() !== '' && { event: event.trim() }),
      ...(userId.trim() !== '' && { userId: userId.trim() }),
      ...searchFor(range),
    });
  };
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    apply();
  };
  return (
    <form onSubmit={submit} aria-label="Filters">
      <Group gap="sm" align="flex-end">
        <Select
          label="State"
          w={150}
          placeholder="Any"
          {...clearable('Any state')}
          data={STATES}
          value={isState(search.state) ? search.state : null}
          onChange={(state) => apply({ state })}
        />
        <TextInput
          label="Event"
          placeholder="Order Completed"
          flex="1 1 160px"
          maw={260}
          value={event}
          onChange={(typed) => setEvent(typed.currentTarget.value)}
        />
        <TextInput
          label="User id"
          flex="1 1 160px"
          maw={260}
          value={userId}
          onChange={(typed) => setUserId(typed.currentTarget.value)}
        />
        <TimeFilter value={rangeFrom(search)} onChange={(range) => apply({ range })} />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
