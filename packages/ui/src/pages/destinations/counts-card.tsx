import { Card, Group, Skeleton, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Counts } from '../../../../server/src/admin/contract.ts';
import { count } from '../../format/number.ts';
import { CountsBar } from './counts-bar.tsx';
import { CountsEquation } from './counts-equation.tsx';

interface CountsCardProps {
  readonly destinationId: string;
  readonly counts: Counts | undefined;
}

/** What became of every event since the destination began, with the sum: nothing may be missing. */
export function CountsCard({ destinationId, counts }: CountsCardProps): ReactElement {
  return (
    <Card component="section" aria-labelledby="counts">
      <Group justify="space-between" mb="sm" gap="xs">
        <Title order={2} id="counts">
          What became of every event
        </Title>
        {counts && <Sum {...counts} />}
      </Group>
      {counts ? (
        <>
          <CountsBar {...counts} />
          <CountsEquation destinationId={destinationId} {...counts} />
        </>
      ) : (
        <Skeleton height={72} />
      )}
    </Card>
  );
}

function Sum({ accepted, processed, failed, filtered, waiting }: Counts): ReactElement {
  const difference = accepted - processed - failed - filtered - waiting;
  return difference === 0 ? (
    <Text c="var(--millrace-good)" fw={500}>
      ✓ Adds up: nothing is missing
    </Text>
  ) : (
    <Text c="var(--millrace-bad)" fw={500}>
      ✗ Differs by {count(Math.abs(difference))}: please report it
    </Text>
  );
}
