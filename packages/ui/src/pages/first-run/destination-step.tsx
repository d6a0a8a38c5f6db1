import { Group, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { ButtonLink } from '../../components/button-link.tsx';
import { CodeBlock } from '../../components/code-block.tsx';
import { LoopbackNote } from '../../components/loopback-note.tsx';
import { useMayChange } from '../../shell/session.ts';

/** The way into the wizard, which leads back here. */
export function DestinationStep(): ReactElement {
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
