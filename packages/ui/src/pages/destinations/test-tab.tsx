import { Alert, Button, Card, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { Destination, MessageChoice, TestedUrl, TestResult } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { messagesApi } from '../../api/messages.ts';
import { choices } from '../../components/choices.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { isJson } from '../../format/json.ts';
import { reasonInWords } from '../../format/reasons.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { AttemptPanel } from '../messages/attempt-panel.tsx';
import classes from '../messages/message.module.css';
import { CallEditor, EventChooser } from './event-chooser.tsx';
import { EXAMPLE_CALLS, written } from './example-calls.ts';
import { TestedBadge } from './tested-badge.tsx';

const route = getRouteApi('/shell/destinations/$id/test');

/** Sends an event that the user chooses. */
export function TestTab(): ReactElement {
  const { id: destinationId } = route.useParams();
  const { data: destination } = useSuspenseQuery(destinationsApi.one(destinationId));
  return (
    <ForAdmins title="Only admins send test events">
      <EventTester key={destination.id} destination={destination} />
    </ForAdmins>
  );
}

/** Sends any call, or an accepted event, to each URL of a destination, as a delivery would, and shows the answers. */
function EventTester({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, sourceIds, revision } = destination;
  const [what, setWhat] = useState('call');
  const [text, setText] = useState(() => written(EXAMPLE_CALLS['track'] ?? {}));
  const [message, setMessage] = useState<MessageChoice>(() => ({
    messageId: '',
    ...(sourceIds[0] !== undefined && { sourceId: sourceIds[0] }),
  }));
  const test = useMutation(destinationsApi.test());
  const client = useQueryClient();
  const edit = useMutation({
    mutationFn: ({ messageId, ...whose }: MessageChoice) => client.fetchQuery(messagesApi.trace(messageId, whose)),
    onSuccess: ({ received }) => {
      setText(written(received));
      setWhat('call');
    },
  });
  const [tested, setTested] = useState(revision);
  // If the destination has changed since the test, the answer may no longer be true.
  const answer = test.isPending || tested !== revision ? undefined : test.data;
  const isCall = what === 'call';
  const isReady = isCall ? isJson(text) : message.messageId !== '';
  const send = (): void => {
    setTested(revision);
    test.mutate(isCall ? { id, event: JSON.parse(text) } : { id, message });
  };
  return (
    <Stack gap="md">
      <SectionCard
        title="Test event"
        description="Sent once to each URL as it is saved, signed as a delivery is, also where the destination would leave the event out. It is never retried, and is not counted."
      >
        <SegmentedControl
          aria-label="What is sent"
          value={what}
          onChange={setWhat}
          style={{ alignSelf: 'flex-start' }}
          data={choices({ call: 'A call', message: 'A real event' })}
        />
        {isCall ? (
          <CallEditor text={text} onChange={setText} />
        ) : (
          <EventChooser destination={destination} value={message} onChange={setMessage} />
        )}
        <Group gap="sm">
          <Button
            leftSection={<IconSend size={16} aria-hidden />}
            loading={test.isPending}
            disabled={!isReady}
            onClick={send}
          >
            Send the test event
          </Button>
          {!isCall && (
            <Button variant="default" loading={edit.isPending} disabled={!isReady} onClick={() => edit.mutate(message)}>
              Edit it as a call
            </Button>
          )}
        </Group>
        <Text role="status" fw={600}>
          {answer && tookIt(answer)}
        </Text>
        {edit.error && <ErrorState error={edit.error} />}
        {test.error && <ErrorState error={test.error} />}
      </SectionCard>
      {answer && <TestAnswer result={answer} />}
    </Stack>
  );
}

function tookIt({ urls }: TestResult): string {
  const took = urls.filter((tested) => tested.class === 'success').length;
  if (urls.length === 1) return took === 1 ? 'The URL took it.' : 'The URL did not take it.';
  return `${took} of ${urls.length} URLs took it.`;
}

const NEXT = {
  success: 'A delivery would be done.',
  temporary: 'A delivery would be tried again.',
  permanent: 'A delivery would fail here, and not be tried again.',
} as const;

/** What a test sent to each URL, and the answers. One is open at a time, at first one that failed. */
function TestAnswer({ result }: { readonly result: TestResult }): ReactElement {
  const { urls, body, filtered, clause } = result;
  const first = urls.find((tested) => tested.class !== 'success') ?? urls[0];
  return (
    <Stack gap="sm">
      {filtered !== null && (
        <Alert color="yellow" title="A delivery would not have been made">
          {reasonInWords(filtered)} {clause !== null && <code>{clause}</code>}
        </Alert>
      )}
      {urls.map((tested) => (
        <Tested key={tested.url} tested={tested} body={body} isOpen={tested === first} />
      ))}
      <Card component="section" aria-label="Body">
        <Title order={3} mb="xs">
          Body
        </Title>
        <JsonView text={body} label="body as it was sent" height={360} />
      </Card>
    </Stack>
  );
}

interface TestedProps {
  readonly tested: TestedUrl;
  readonly body: string;
  readonly isOpen: boolean;
}

function Tested({ tested, body, isOpen }: TestedProps): ReactElement {
  const { url, class: outcome, headers } = tested;
  return (
    <Card component="section" aria-label={url} padding="sm">
      <details className={classes['lane']} name="tested" open={isOpen}>
        <summary>
          <Group component="span" gap="sm" display="inline-flex">
            <Text size="md" component="span" fw={600}>
              {url}
            </Text>
            <TestedBadge {...tested} />
          </Group>
          <Text>{NEXT[outcome]}</Text>
        </summary>
        <Stack gap="sm" mt="sm">
          <AttemptPanel attempt={tested} request={{ url, headers, changedSince: false }} body={body} />
        </Stack>
      </details>
    </Card>
  );
}
