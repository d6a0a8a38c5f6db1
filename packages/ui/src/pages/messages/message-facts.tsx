import { Card, Group } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Trace } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { Fact } from '../../components/fact.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';

export function MessageFacts({ trace }: { readonly trace: Trace }): ReactElement {
  const { messageId, sourceId, type, userId, receivedAt } = trace;
  return (
    <Card>
      <Group component="dl" gap="8px 32px" align="flex-start" m={0}>
        <Fact label="messageId">
          {/* The button is higher than a line. */}
          <Group gap={4} wrap="nowrap" my={-3}>
            {messageId}
            <CopyButton value={messageId} of="the messageId" />
          </Group>
        </Fact>
        <Fact label="Type">{type}</Fact>
        <Fact label="Source">
          <SourceName id={sourceId} />
        </Fact>
        <Fact label="User">
          {userId === null ? (
            '–'
          ) : (
            <AnchorLink to="/messages" search={{ userId }}>
              {userId}
            </AnchorLink>
          )}
        </Fact>
        <Fact label="Received">
          <Time at={receivedAt} absolute />
        </Fact>
      </Group>
    </Card>
  );
}
