import { Card, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { DestinationsCard } from './destinations-card.tsx';
import { Figures } from './figures.tsx';
import { JsonDetails } from './json-details.tsx';
import type { Defined, DefinitionKind } from './kinds.ts';
import { SizesChart } from './sizes-chart.tsx';

interface DefinitionOverviewProps {
  readonly kind: DefinitionKind;
  readonly of: Defined;
  /** The definition as a sentence. */
  readonly children: ReactNode;
}

/** What it says, how large it is and was, and whom it tells. */
export function DefinitionOverview({ kind, of, children }: DefinitionOverviewProps): ReactElement {
  return (
    <Stack gap="md">
      <Figures kind={kind} of={of} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Card component="section" aria-label={kind.title}>
          <Title order={2} mb="xs">
            {kind.title}
          </Title>
          <Text component="div">{children}</Text>
          <JsonDetails definition={of.definition} />
        </Card>
        <DestinationsCard of={of} />
      </SimpleGrid>
      <SizesChart kind={kind} of={of} />
    </Stack>
  );
}
