import { Group, SegmentedControl, TagsInput, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { TrackFilter } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { choices } from '../../components/choices.ts';
import { clearable } from '../../components/clearable.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { SectionCard } from '../../forms/section-card.tsx';
import { useMayChange, useMayLook } from '../../shell/session.ts';
import { filterOf, type SettingsForm } from './settings-values.ts';
import classes from './track-filter.module.css';

const MODES = choices({ none: 'All events', allow: 'Only these', deny: 'All but these' });

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

interface TrackFilterEffectProps {
  readonly filter: TrackFilter;
  /** Names of events that came lately. */
  readonly recent: readonly string[];
}

/** What the filter would have done with the events that came lately. */
function TrackFilterEffect({ filter, recent }: TrackFilterEffectProps): ReactElement | null {
  if (recent.length === 0) return null;
  return (
    <div>
      <Text c="dimmed" mb={6}>
        Of the events that came lately:
      </Text>
      <Group gap={8} component="ul" className={classes['names'] ?? ''}>
        {recent.map((name) => {
          const passes = filter.events.includes(name) === (filter.mode === 'allow');
          return (
            <li key={name}>
              <span>{name}</span>
              <StatusBadge tone={passes ? 'good' : 'off'}>{passes ? 'delivered' : 'left out'}</StatusBadge>
            </li>
          );
        })}
      </Group>
    </div>
  );
}
