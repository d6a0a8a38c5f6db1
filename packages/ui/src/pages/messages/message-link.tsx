import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { EventSummary } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { shortened } from '../../format/shortened.ts';

/** A link to a message: its event name or type, and its id. */
export function MessageLink({
  messageId,
  position,
  type,
  event,
}: Pick<EventSummary, 'messageId' | 'position' | 'type' | 'event'>): ReactElement {
  return (
    <>
      <AnchorLink to="/messages/$id" params={{ id: messageId }} search={{ position: String(position) }} fw={500}>
        {shortened(event ?? type)}
      </AnchorLink>
      <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
        {event === null ? messageId : `${type} · ${messageId}`}
      </Text>
    </>
  );
}
