import {
  Box,
  Button,
  Card,
  Group,
  Stack,
  Text,
  Timeline,
  type TimelineItemProps,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useDidUpdate } from '@mantine/hooks';
import { IconCheck, IconSend } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import type { Destination, Overview, Source } from '../../../../server/src/admin/contract.ts';
import { collectionApi } from '../../api/collection.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { eventsApi } from '../../api/events.ts';
import { messagesApi } from '../../api/messages.ts';
import { live } from '../../api/query.ts';
import { sourcesApi } from '../../api/sources.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { notifyDone } from '../../components/notify.ts';
import { useMayChange } from '../../shell/session.ts';
import { snippetsFor } from '../sources/snippets.ts';
import { SourceForm } from '../sources/source-form.tsx';
import { Arrival } from './arrival.tsx';

interface FirstRunProps {
  readonly overview: Overview;
  /** Called to leave the steps for the usual overview. */
  readonly onDone: () => void;
}

/** The steps to the first delivery. Each opens when the one before is done. */
export function FirstRun({ overview, onDone }: FirstRunProps): ReactElement {
  const mayChange = useMayChange();
  const { data: all = [] } = useQuery(sourcesApi.list());
  const { data: destinations = [] } = useQuery(destinationsApi.list());
  const sources = all.filter(({ sentBy }) => sentBy === null);
  const pair = pairOf(sources, destinations);
  const [sentId, setSentId] = useState<string | null>(null);
  const sourceId = pair?.source.id;
  // The message of the button is known here. A call by curl or a client library is found when it has arrived.
  const { data: events } = useInfiniteQuery({
    ...live(eventsApi.search({ sourceId })),
    enabled: sourceId !== undefined && sentId === null,
  });
  const messageId = sentId ?? events?.pages[0]?.items[0]?.messageId ?? null;
  const { data: trace } = useQuery({
    ...messagesApi.trace(messageId ?? '', { sourceId }),
    enabled: messageId !== null && sourceId !== undefined,
  });
  const hasArrived = trace?.lanes.some(({ state }) => state === 'processed') ?? false;
  const step = overview.sources.every(({ sentBy }) => sentBy !== null)
    ? 1
    : overview.destinations.length === 0
      ? 2
      : messageId === null || !pair
        ? 3
        : 4;
  return (
    <Card padding="lg" maw={860}>
      <Timeline role="list" active={step - 1} bulletSize={32} lineWidth={2}>
        <GuidedStep
          number={1}
          at={step}
          title="Create a source"
          about="Where your calls come from: a website, an app, a server."
        >
          {mayChange ? (
            <SourceForm onCreated={({ name }) => notifyDone(`“${name}” is created.`)} />
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
          isDone={hasArrived}
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
      </Timeline>
    </Card>
  );
}

/** Opens the wizard, which leads back here. */
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

interface GuidedStepProps extends TimelineItemProps {
  /** Number of the step, from 1. */
  readonly number: number;
  /** Number of the open step. */
  readonly at: number;
  /** True if it is done and stays open. */
  readonly isDone?: boolean;
  readonly about: string;
}

/** A step. Its children are shown while it is open. */
function GuidedStep(props: GuidedStepProps): ReactElement {
  const { number, at, isDone = number < at, title, about, children, ...item } = props;
  const isOpen = number === at;
  const heading = useRef<HTMLHeadingElement>(null);
  // The focused element disappeared with the previous step, so the newly opened step takes the focus.
  useDidUpdate(() => {
    if (isOpen) heading.current?.focus();
  }, [isOpen]);
  return (
    <Timeline.Item
      {...item}
      {...(isDone && { color: 'teal' })}
      role="listitem"
      aria-current={isOpen ? 'step' : undefined}
      bullet={<span aria-hidden>{isDone ? <IconCheck size={16} stroke={2.5} /> : number}</span>}
      title={
        <Title size="h3" ref={heading} tabIndex={-1} style={{ outline: 'none' }}>
          {title}
          {isDone && <VisuallyHidden> (done)</VisuallyHidden>}
        </Title>
      }
    >
      <Text c="dimmed">{about}</Text>
      {isOpen && <Box mt="sm">{children}</Box>}
    </Timeline.Item>
  );
}

interface TestEventProps {
  /** Null if no source is connected to a destination. */
  readonly pair: Pair | null;
  /** Called with the messageId. */
  readonly onSent: (messageId: string) => void;
  /** True if a test event was sent before. */
  readonly again?: boolean;
}

/** Sends one real call from this browser to the collection API, with the source's key. */
function TestEvent({ pair, onSent, again = false }: TestEventProps): ReactElement {
  const mayChange = useMayChange();
  const track = useMutation(collectionApi.track());
  if (!mayChange) return <Text>Ask an admin to send it: it takes the source's write key.</Text>;
  if (!pair) return <Text>Connect a source to the destination first, in the destination's settings.</Text>;
  const { source, destination } = pair;
  const send = (): void => {
    const call = { ...SAMPLE, messageId: newMessageId() };
    // Its error is shown below.
    void track.mutateAsync({ writeKey: source.writeKey, call }).then(
      () => onSent(call.messageId),
      () => undefined,
    );
  };
  const off = [source, destination].filter(({ enabled }) => !enabled).map(({ name }) => `“${name}”`);
  return (
    <Stack gap="sm">
      {!again && (
        <Text>
          “Order Completed” from “{source.name}” to “{destination.name}”.
        </Text>
      )}
      {off.length > 0 && (
        <Text c="var(--millrace-warn)">
          {off.join(' and ')} {off.length === 1 ? 'is' : 'are'} switched off: nothing will arrive.
        </Text>
      )}
      <Group>
        <Button
          variant={again ? 'default' : 'filled'}
          leftSection={<IconSend size={16} aria-hidden />}
          loading={track.isPending}
          onClick={send}
        >
          {again ? 'Send another' : 'Send the test event'}
        </Button>
      </Group>
      {track.error && <ErrorState error={track.error} />}
      {!again && (
        <>
          <Text c="dimmed">Or in a shell:</Text>
          <CodeBlock
            code={snippetsFor(source.writeKey, window.location.origin, 'server')[0].code}
            label="curl command"
          />
        </>
      )}
    </Stack>
  );
}

const SAMPLE = { userId: 'u1', event: 'Order Completed', properties: { total: 27.5 } } as const;

/** A page served over plain http has no `crypto.randomUUID`. */
function newMessageId(): string {
  return `test-${[...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join('')}`;
}

/** A source, and a destination that gets its calls. */
interface Pair {
  readonly source: Source;
  readonly destination: Destination;
}

/** The source and destination of a test event: preferably switched on. Null if nothing is connected. */
function pairOf(sources: readonly Source[], destinations: readonly Destination[]): Pair | null {
  const pairs = destinations.flatMap((destination) =>
    sources.filter(({ id }) => destination.sourceIds.includes(id)).map((source) => ({ source, destination })),
  );
  return pairs.find(({ source, destination }) => source.enabled && destination.enabled) ?? pairs[0] ?? null;
}
