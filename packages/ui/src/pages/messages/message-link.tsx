import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { EventSummary } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { shortened } from '../../format/shortened.ts';
import { toMessage } from '../../shell/things.ts';

/** A link to a message: its event name or type, and its id. */
export function MessageLink(message: Pick<EventSummary, 'messageId' | 'position' | 'type' | 'event'>): ReactElement {
  const { messageId, type, event } = message;
  return (
    <>
      <AnchorLink {...toMessage(message)} fw={500}>
        {shortened(event ?? type)}
      </AnchorLink>
      <Text variant="aside" style={{ overflowWrap: 'anywhere' }}>
        {event === null ? messageId : `${type} · ${messageId}`}
      </Text>
    </>
  );
}
