import { Alert, Card, Group, SegmentedControl, Stack, Title } from '@mantine/core';
import { IconRouteOff } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import type { Trace, TracedLane } from '../../../../server/src/admin/contract.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { count } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { LaneCard } from './lane-card.tsx';
import classes from './message.module.css';
import { MessageFacts } from './message-facts.tsx';

/** What needs attention comes first. */
const FIRST: readonly TracedLane['state'][] = ['failed', 'retrying', 'waiting', 'processed', 'filtered'];

/** From the call to every endpoint. */
export function MessageWay({ trace }: { readonly trace: Trace }): ReactElement {
  const lanes = trace.lanes.toSorted((a, b) => FIRST.indexOf(a.state) - FIRST.indexOf(b.state));
  return (
    <>
      <MessageFacts trace={trace} />
      {(trace.notKept.traits.length > 0 || trace.notKept.group !== null) && (
        <Alert color="yellow" title="The profile does not keep all of it">
          It is delivered as it is. {notKeptInWords(trace.notKept)}
        </Alert>
      )}
      <div className={classes['way']}>
        <Section id="lanes" title="Destinations" gap="sm">
          {lanes.length === 0 && (
            <Card padding={0}>
              <EmptyState icon={IconRouteOff} title="No destination got it">
                Its source was connected to none when it was received. Connect one, then replay all events to it.
              </EmptyState>
            </Card>
          )}
          {lanes.map((lane) => (
            <LaneCard
              key={lane.destinationId}
              trace={trace}
              lane={lane}
              isOpen={lane.state === 'failed' || lanes.length === 1}
            />
          ))}
        </Section>
        <Payload trace={trace} />
      </div>
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

/** What came in, and what goes out to every URL. */
function Payload({ trace }: { readonly trace: Trace }): ReactElement {
  const [side, setSide] = useState('sent');
  return (
    <Stack component="section" gap="xs" miw={0} aria-labelledby="payload">
      <Group justify="space-between" gap="xs">
        <Title order={2} id="payload">
          Payload
        </Title>
        <SegmentedControl
          size="xs"
          aria-label="Which payload"
          value={side}
          onChange={setSide}
          data={[
            { value: 'sent', label: 'Sent' },
            { value: 'received', label: 'Received' },
          ]}
        />
      </Group>
      {side === 'sent' ? (
        <JsonView text={trace.sent} label="body as it is sent" height={640} />
      ) : (
        <JsonView text={JSON.stringify(trace.received)} label="call as it was received" height={640} />
      )}
    </Stack>
  );
}
