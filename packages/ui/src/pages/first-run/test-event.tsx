import { Button, Group, Stack, Text } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { collectionApi } from '../../api/collection.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { useMayChange } from '../../shell/session.ts';
import { snippetsFor } from '../sources/snippets.ts';
import type { Pair } from './pair.ts';

interface TestEventProps {
  /** Null when no source is connected to a destination. */
  readonly pair: Pair | null;
  /** Told the messageId. */
  readonly onSent: (messageId: string) => void;
  /** One was sent before. */
  readonly again?: boolean;
}

/** Sends one real call through the collection API, with the source's key, from this browser. */
export function TestEvent({ pair, onSent, again = false }: TestEventProps): ReactElement {
  const mayChange = useMayChange();
  const track = useMutation(collectionApi.track());
  if (!mayChange) return <Text>Ask an admin to send it: it takes the source's write key.</Text>;
  if (!pair) return <Text>Connect a source to the destination first, in the destination's settings.</Text>;
  const { source, destination } = pair;
  const send = (): void => {
    const call = { ...SAMPLE, messageId: newMessageId() };
    track.mutate({ writeKey: source.writeKey, call }, { onSuccess: () => onSent(call.messageId) });
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

/** Over plain http browsers give pages no randomUUID. */
function newMessageId(): string {
  return `test-${[...crypto.getRandomValues(new Uint32Array(4))].map((word) => word.toString(36)).join('')}`;
}
