import { ActionIcon, Button, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconRoute, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { CopyButton } from '../../components/copy-button.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Time } from '../../components/time.tsx';
import type { LiveRow } from './live-buffer.ts';

interface LiveDetailProps {
  readonly row: LiveRow;
  readonly sourceName: string;
  readonly onClose: () => void;
}

/** One event, and the way to what became of it. */
export function LiveDetail({ row, sourceName, onClose }: LiveDetailProps): ReactElement {
  const { messageId, sourceId, type, event, userId, receivedAt, body } = row;
  return (
    <Card component="section" aria-label="The chosen event">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title order={2} style={{ overflowWrap: 'anywhere' }}>
            {event ?? type}
          </Title>
          <ActionIcon variant="subtle" color="gray" aria-label="Close the event" onClick={onClose} visibleFrom="lg">
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </Group>
        <Text size="sm" c="dimmed" component="div">
          {type} by {userId ?? 'an anonymous user'}, from {sourceName}, accepted <Time at={receivedAt} absolute />
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
            {messageId}
          </Text>
          <CopyButton value={messageId} of="the messageId" />
        </Group>
        <Button
          renderRoot={(props) => (
            <Link to="/messages/$messageId" params={{ messageId }} search={{ source: sourceId }} {...props} />
          )}
          variant="default"
          leftSection={<IconRoute size={16} aria-hidden />}
        >
          What became of it
        </Button>
        <JsonView text={body} label="event" height={560} />
      </Stack>
    </Card>
  );
}
