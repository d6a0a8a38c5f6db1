import { Button, Group, Select, TextInput } from '@mantine/core';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { clearable } from '../../components/clearable.ts';
import { TimeFilter } from '../../components/time-filter.tsx';
import { rangeFrom, searchFor } from '../../format/range.ts';
import { type DeliverySearch, isState, STATES } from './delivery-search.ts';

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  /** Told what is another; an empty text takes a filter back. */
  readonly onChange: (part: DeliverySearch) => void;
}

/** Choices take effect at once, texts by Enter or the button. What the address says by other ways is shown too. */
export function DeliveryFilters({ search, onChange }: DeliveryFiltersProps): ReactElement {
  const [event, setEvent] = useState(search.event ?? '');
  const [userId, setUserId] = useState(search.userId ?? '');
  useEffect(() => setEvent(search.event ?? ''), [search.event]);
  useEffect(() => setUserId(search.userId ?? ''), [search.userId]);
  const apply = (part: DeliverySearch): void => onChange({ event: event.trim(), userId: userId.trim(), ...part });
  const submit = (submitted: FormEvent): void => {
    submitted.preventDefault();
    apply({});
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
          onChange={(state) => apply({ state: state ?? '' })}
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
        <TimeFilter value={rangeFrom(search)} onChange={(range) => apply(searchFor(range))} />
        <Button type="submit" variant="default">
          Filter
        </Button>
      </Group>
    </form>
  );
}
