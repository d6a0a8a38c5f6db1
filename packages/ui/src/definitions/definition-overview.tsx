import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { SectionCard } from '../forms/section-card.tsx';
import { DestinationsCard } from './destinations-card.tsx';
import { Figures } from './figures.tsx';
import { JsonDetails } from './json-details.tsx';
import type { OfKind } from './kinds.ts';
import { SizesChart } from './sizes-chart.tsx';

interface DefinitionOverviewProps extends OfKind {
  /** The definition as a sentence. */
  readonly children: ReactNode;
}

/** What it says, how large it is and was, and whom it tells. */
export function DefinitionOverview({ kind, of, children }: DefinitionOverviewProps): ReactElement {
  return (
    <Stack gap="md">
      <Figures kind={kind} of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <SectionCard title={kind.title}>
          <Text component="div">{children}</Text>
          <JsonDetails definition={of.definition} />
        </SectionCard>
        <DestinationsCard of={of} />
      </SimpleGrid>
      <SizesChart kind={kind} of={of} />
    </Stack>
  );
}
