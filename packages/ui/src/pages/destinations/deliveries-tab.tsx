import { Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { IconMailbox } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactElement, useEffect, useState } from 'react';
import { clearable } from '../../components/clearable.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { TimeFilter } from '../../components/time-filter.tsx';
import { rangeFrom, searchFor } from '../../format/range.ts';
import { DeliveriesTable, type DeliverySearch, isState, STATES } from './deliveries-table.tsx';

const route = getRouteApi('/shell/destinations/$id/deliveries');

/** The outcome of each event, newest first. */
export function DeliveriesTab(): ReactElement {
  const { id: destinationId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrowed = Object.keys(search).length > 0;
  return (
    <Stack gap="md">
      <DeliveryFilters
        search={search}
        onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }), replace: true })}
      />
      <DeliveriesTable
        destinationId={destinationId}
        search={search}
        empty={
          <EmptyState icon={IconMailbox} title={isNarrowed ? 'Nothing fits these filters' : 'No delivery yet'}>
            {isNarrowed
              ? 'Names and user ids are compared whole, upper and lower case included. What waits for its first attempt is not listed, nor what is older than the retention.'
              : 'An event is listed after its first attempt, or when a filter has left it out.'}
          </EmptyState>
        }
      />
    </Stack>
  );
}

interface DeliveryFiltersProps {
  readonly search: DeliverySearch;
  /** Called with the changed filters; an empty text removes a filter. */
  readonly onChange: (part: DeliverySearch) => void;
}

/** A choice takes effect at once, a text by Enter or the button. If the address changes in another way, the fields follow it. */
function DeliveryFilters({ search, onChange }: DeliveryFiltersProps): ReactElement {
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
