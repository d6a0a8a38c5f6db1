import { MultiSelect } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { destinationsApi } from '../api/destinations.ts';
import { IN_MAIN } from '../components/in-main.ts';
import { isWithin } from '../forms/apply-problem.ts';
import { SectionCard } from '../forms/section-card.tsx';
import type { DefinitionValues } from './kinds.ts';

/** Where its calls go. */
export function DestinationsField({ form }: { readonly form: UseFormReturnType<DefinitionValues> }): ReactElement {
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const isNone = form.values.destinationIds.length === 0;
  return (
    <SectionCard title="Destinations">
      <MultiSelect
        label="Its calls go to"
        description="Identify calls, signed and retried like any other. A destination that is connected from the start misses none."
        placeholder={isNone ? 'None: the calls go nowhere' : ''}
        data={destinations.map(({ id, name, enabled }) => ({ value: id, label: enabled ? name : `${name} (off)` }))}
        searchable
        comboboxProps={IN_MAIN}
        nothingFoundMessage="No destination has this name"
        {...form.getInputProps('destinationIds')}
        error={Object.entries(form.errors).find(([path]) => isWithin(path, 'destinationIds'))?.[1]}
      />
    </SectionCard>
  );
}
