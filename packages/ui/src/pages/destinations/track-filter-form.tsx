import { SegmentedControl, Stack, TagsInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination, TrackFilter } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { eventsApi } from '../../api/events.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useEditForm } from '../../forms/use-edit-form.ts';
import { useMayLook } from '../../shell/session.ts';
import { TrackFilterEffect } from './track-filter-effect.tsx';

const MODES = [
  { value: 'none', label: 'All events' },
  { value: 'allow', label: 'Only these' },
  { value: 'deny', label: 'All but these' },
];

/** Which track calls are delivered, by their event's name. Other calls always are. */
export function TrackFilterForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { data } = useInfiniteQuery({ ...eventsApi.search({ type: 'track' }), enabled: useMayLook() });
  const recent = [...new Set(data?.pages.flatMap(({ items }) => items).flatMap(({ event }) => event ?? []))].sort();
  const edit = useEditForm({
    thing: destination,
    api: destinationsApi,
    valuesOf,
    fieldsOf: (values) => ({ trackFilter: filterOf(values) }),
    words: 'The track filter is saved.',
    // All names have one field.
    places: ({ trackFilter: { events } }) =>
      Object.fromEntries(events.map((_, i) => [`trackFilter.events.${i}`, 'trackFilter.events'])),
  });
  const { form, save } = edit;
  const filter = filterOf(form.values);
  return (
    <SectionCard
      title="Track filter"
      description="By the name of a track call's event, upper and lower case included. Calls of other types are not filtered."
    >
      <form onSubmit={form.onSubmit(save)}>
        <Stack gap="md">
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
              clearable
              clearButtonProps={{ 'aria-label': 'Remove all names', 'aria-hidden': false, tabIndex: 0 }}
              {...form.getInputProps('trackFilter.events')}
            />
          )}
          {filter && <TrackFilterEffect filter={filter} recent={recent} />}
          <SaveBar action="Save the track filter" edit={edit} />
        </Stack>
      </form>
    </SectionCard>
  );
}

type Values = {
  readonly trackFilter: { readonly mode: string; readonly events: string[] };
};

function valuesOf({ trackFilter }: Destination): Values {
  return { trackFilter: trackFilter ?? { mode: 'none', events: [] } };
}

function filterOf({ trackFilter: { mode, events } }: Values): TrackFilter | null {
  return mode === 'allow' || mode === 'deny' ? { mode, events } : null;
}
