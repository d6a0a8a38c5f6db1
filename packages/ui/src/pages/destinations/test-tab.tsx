import { Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { Destination, MessageChoice, TestResult } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { messagesApi } from '../../api/messages.ts';
import { choices } from '../../components/choices.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { isJson } from '../../format/json.ts';
import { SectionCard } from '../../forms/section-card.tsx';
import { ForAdmins } from '../../shell/for-admins.tsx';
import { CallEditor } from './call-editor.tsx';
import { EventChooser } from './event-chooser.tsx';
import { EXAMPLE_CALLS, written } from './example-calls.ts';
import { TestAnswer } from './test-answer.tsx';

const route = getRouteApi('/shell/destinations/$destinationId/test');

/** Sends an event of one's choice. */
export function TestTab(): ReactElement {
  const { destinationId } = route.useParams();
  const { data: destination } = useSuspenseQuery(destinationsApi.one(destinationId));
  return (
    <ForAdmins title="Only admins send test events">
      <EventTester key={destination.id} destination={destination} />
    </ForAdmins>
  );
}

/** Any call, or an event that was accepted, to each URL of a destination as a delivery sends it, and what came back. */
function EventTester({ destination }: { readonly destination: Destination }): ReactElement {
  const { id, sourceIds } = destination;
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
  const answer = test.isPending ? undefined : test.data;
  const isCall = what === 'call';
  const isReady = isCall ? isJson(text) : message.messageId !== '';
  const send = (): void => test.mutate(isCall ? { id, event: JSON.parse(text) } : { id, message });
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
