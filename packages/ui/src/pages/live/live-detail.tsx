import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconRoute, IconX } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { LiveEvent, LiveRejection } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { shortened } from '../../format/shortened.ts';
import { isRejected, type LiveRow } from './live-buffer.ts';

interface Shown<Row> {
  readonly row: Row;
  readonly sourceName: string;
}

interface LiveDetailProps {
  readonly row: LiveRow;
  readonly sourceName: string;
  readonly onClose: () => void;
}

/** One event with a link to its trace, or one refused call with the reason. */
export function LiveDetail({ row, sourceName, onClose }: LiveDetailProps): ReactElement {
  const title = isRejected(row) ? row.code : shortened(row.event ?? row.type);
  return (
    <Card component="section" aria-label="The chosen event">
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" align="flex-start">
          <Title style={{ overflowWrap: 'anywhere' }}>{title}</Title>
          <IconButton icon={IconX} label="Close the event" onClick={onClose} visibleFrom="lg" />
        </Group>
        {isRejected(row) ? (
          <Rejected row={row} sourceName={sourceName} />
        ) : (
          <Accepted row={row} sourceName={sourceName} />
        )}
      </Stack>
    </Card>
  );
}

function Rejected({ row, sourceName }: Shown<LiveRejection>): ReactElement {
  const { message, part, sourceId, receivedAt } = row;
  return (
    <>
      <Text>{message}</Text>
      <Text c="dimmed" component="div">
        Rejected call from {sourceName}, <Time at={receivedAt} absolute />
      </Text>
      {sourceId === null ? (
        <AnchorLink to="/sources">Rejected calls of all sources and unknown keys</AnchorLink>
      ) : (
        <ThingLink kind="source" id={sourceId} name="Rejected calls of this source" />
      )}
      {part !== '' && <JsonView text={part} label="rejected part" height={560} />}
    </>
  );
}

function Accepted({ row, sourceName }: Shown<LiveEvent>): ReactElement {
  const { messageId, position, type, userId, receivedAt, body } = row;
  return (
    <>
      <Text c="dimmed" component="div">
        {type} by {shortened(userId ?? 'an anonymous user')}, from {sourceName}, accepted{' '}
        <Time at={receivedAt} absolute />
      </Text>
      <Group gap={4} wrap="nowrap">
        <Text ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {messageId}
        </Text>
        <CopyButton value={messageId} of="the messageId" />
      </Group>
      <ButtonLink
        to="/messages/$id"
        params={{ id: messageId }}
        search={{ position: String(position) }}
        variant="default"
        leftSection={<IconRoute size={16} aria-hidden />}
      >
        What became of it
      </ButtonLink>
      <JsonView text={body} label="event" height={560} />
    </>
  );
}
