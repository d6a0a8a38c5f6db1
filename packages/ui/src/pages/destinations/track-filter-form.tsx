import { SegmentedControl, Stack, TagsInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination, TrackFilter } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { SaveBar } from '../../forms/save-bar.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayLook } from '../../shell/session.ts';
import { TrackFilterEffect } from './track-filter-effect.tsx';
import { useChange } from './use-change.ts';

const MODES = [
  { value: 'none', label: 'All events' },
  { value: 'allow', label: 'Only these' },
  { value: 'deny', label: 'All but these' },
];

/** Which track calls are delivered, by their event's name. Other calls always are. */
export function TrackFilterForm({ destination }: { readonly destination: Destination }): ReactElement {
  const { data } = useInfiniteQuery({ ...eventsApi.search({ type: 'track' }), enabled: useMayLook() });
  const recent = [...new Set(data?.pages.flatMap(({ items }) => items).flatMap(({ event }) => event ?? []))].sort();
  const form = useForm({ initialValues: valuesOf(destination.trackFilter) });
  const { busy, refusal, save, reset } = useChange(destination, form);
  const filter = filterOf(form.values);
  // All names have one field.
  const fields = Object.fromEntries(
    form.values.trackFilter.events.map((_, i) => [`trackFilter.events.${i}`, 'trackFilter.events']),
  );
  const submit = form.onSubmit(() => save({ trackFilter: filter }, 'The track filter is saved.', { fields }));
  return (
    <SectionCard
      title="Track filter"
      description="By the name of a track call's event, upper and lower case included. Calls of other types are not filtered."
    >
      <form onSubmit={submit}>
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
          <SaveBar
            action="Save the track filter"
            dirty={form.isDirty()}
            busy={busy}
            refusal={refusal}
            onReset={reset}
          />
        </Stack>
      </form>
    </SectionCard>
  );
}

interface Values {
  readonly trackFilter: { readonly mode: string; readonly events: string[] };
}

function valuesOf(filter: TrackFilter | null): Values {
  return { trackFilter: filter ?? { mode: 'none', events: [] } };
}

function filterOf({ trackFilter: { mode, events } }: Values): TrackFilter | null {
  return mode === 'allow' || mode === 'deny' ? { mode, events } : null;
}
