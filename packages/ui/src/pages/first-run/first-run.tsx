import { Button, Card, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Overview } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { eventsApi } from '../../api/events.ts';
import { live } from '../../api/live.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { notifyDone } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';
import { SourceForm } from '../sources/source-form.tsx';
import { Arrival } from './arrival.tsx';
import { GuidedStep } from './guided-step.tsx';
import { pairOf } from './pair.ts';
import { TestEvent } from './test-event.tsx';

interface FirstRunProps {
  readonly overview: Overview;
  /** To what the overview shows otherwise. */
  readonly onDone: () => void;
}

/** The steps to the first delivery, each opening when the one before it is done. */
export function FirstRun({ overview, onDone }: FirstRunProps): ReactElement {
  const mayChange = useMayChange();
  const { data: all = [] } = useQuery(sourcesApi.list());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const sources = all.filter(({ sentBy }) => sentBy === null);
  const pair = pairOf(sources, destinations);
  const [sentId, setSentId] = useState<string | null>(null);
  const sourceId = pair?.source.id;
  // What the button sent is known; a call by curl or by a client is seen when it has come.
  const { data: events } = useInfiniteQuery({
    ...eventsApi.search({ sourceId }),
    enabled: sourceId !== undefined && sentId === null,
    ...live('/api/events', { sourceId }),
  });
  const messageId = sentId ?? events?.pages[0]?.items[0]?.messageId ?? null;
  const step = overview.sources.every(({ sentBy }) => sentBy !== null)
    ? 1
    : overview.destinations.length === 0
      ? 2
      : messageId === null || !pair
        ? 3
        : 4;
  return (
    <Card padding="lg" maw={860}>
      <ol>
        <GuidedStep
          number={1}
          at={step}
          title="Create a source"
          about="Where your calls come from: a website, an app, a server."
        >
          {mayChange ? (
            <SourceForm onCreated={({ name }) => notifyDone(`“${name}” is there.`)} />
          ) : (
            <Text>Ask an admin to create the first source.</Text>
          )}
        </GuidedStep>
        <GuidedStep
          number={2}
          at={step}
          title="Connect a destination"
          about="Up to five webhook URLs that get every call, signed."
        >
          <DestinationStep />
        </GuidedStep>
        <GuidedStep
          number={3}
          at={step}
          title="Send a test event"
          about="With your source's write key, as your clients will."
        >
          <TestEvent pair={pair} onSent={setSentId} />
        </GuidedStep>
        <GuidedStep
          number={4}
          at={step}
          title="See it arrive"
          about="Within a second, with its status and its latency."
        >
          {pair && messageId !== null && (
            <Arrival key={messageId} messageId={messageId} sourceId={pair.source.id}>
              <Button onClick={onDone}>To the overview</Button>
              <TestEvent pair={pair} onSent={setSentId} again />
            </Arrival>
          )}
        </GuidedStep>
      </ol>
    </Card>
  );
}

/** The way into the wizard, which leads back here. */
function DestinationStep(): ReactElement {
  const mayChange = useMayChange();
  if (!mayChange) return <Text>Ask an admin to set up the first destination.</Text>;
  return (
    <Stack gap="sm">
      <Group>
        <ButtonLink to="/catalog/webhooks/new" search={{ from: 'first-run' }}>
          Set up a destination
        </ButtonLink>
      </Group>
      <Text c="dimmed">
        Nothing to receive calls yet? This prints what arrives at <code>http://127.0.0.1:9000/hook</code>.
      </Text>
      <CodeBlock code="npx millrace listen --port 9000" label="command that receives calls" />
      <LoopbackNote offers />
    </Stack>
  );
}
