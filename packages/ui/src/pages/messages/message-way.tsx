import { Alert, Card, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconRouteOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { Trace } from '../../../../server/src/admin/contract.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { count } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { LaneCard } from './lane-card.tsx';
import { MessageFacts } from './message-facts.tsx';

/** From the call to every endpoint; undefined while it is on its way. */
export function MessageWay({ trace }: { readonly trace: Trace | undefined }): ReactElement {
  if (!trace) return <Skeleton height={420} />;
  return (
    <>
      <MessageFacts trace={trace} />
      {(trace.notKept.traits.length > 0 || trace.notKept.group !== null) && (
        <Alert color="yellow" variant="light" title="The profile does not keep all of it">
          It is delivered as it is. {notKeptInWords(trace.notKept)}
        </Alert>
      )}
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

/** So many traits are named. */
const NAMED = 5;

function notKeptInWords({ traits, group }: Trace['notKept']): string {
  if (group !== null) return `The person has as many groups as are kept, and is not in “${group}”.`;
  const named = traits.slice(0, NAMED).map((name) => `“${shortened(name)}”`);
  const rest = traits.length - named.length;
  return `Left out, because they are too many or too long: ${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}.`;
}

function Body(props: { readonly title: string; readonly label: string; readonly text: string }): ReactElement {
  return (
    <Stack component="section" gap="xs" miw={0} aria-label={props.title}>
      <Title order={2}>{props.title}</Title>
      <JsonView text={props.text} label={props.label} />
    </Stack>
  );
}
