import { Card, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconRouteOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Trace } from '../../../../server/src/admin/contract.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { LaneCard } from './lane-card.tsx';
import { MessageFacts } from './message-facts.tsx';

/** From the call to every endpoint; undefined while it is on its way. */
export function MessageWay({ trace }: { readonly trace: Trace | undefined }): ReactElement {
  if (!trace) return <Skeleton height={420} />;
  return (
    <>
      <MessageFacts trace={trace} />
      <Stack component="section" gap="sm" aria-labelledby="lanes">
        <Title order={2} id="lanes">
          Destinations
        </Title>
        {trace.lanes.length === 0 && (
          <Card padding={0}>
            <EmptyState icon={IconRouteOff} title="No destination got it">
              Its source was connected to none when it was received. Connect one, then replay all events to it.
            </EmptyState>
          </Card>
        )}
        {trace.lanes.map((lane) => (
          <LaneCard key={lane.destinationId} trace={trace} lane={lane} />
        ))}
      </Stack>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Body title="Received" label="call as it was received" text={JSON.stringify(trace.received)} />
        <Body title="Sent" label="body as it is sent" text={trace.sent} />
      </SimpleGrid>
    </>
  );
}

function Body(props: { readonly title: string; readonly label: string; readonly text: string }): ReactElement {
  return (
    <Stack component="section" gap="xs" miw={0} aria-label={props.title}>
      <Title order={2}>{props.title}</Title>
      <JsonView text={props.text} label={props.label} />
    </Stack>
  );
}
