import { SegmentedControl, TagsInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { eventsApi } from '../../api/events.ts';
import { clearable } from '../../components/clearable.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { filterOf, type SettingsForm } from './settings-values.ts';
import { TrackFilterEffect } from './track-filter-effect.tsx';

const MODES = [
  { value: 'none', label: 'All events' },
  { value: 'allow', label: 'Only these' },
  { value: 'deny', label: 'All but these' },
];

/** Which track calls are delivered, by their event's name. Other calls always are. */
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
