import { Card, Group } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import type { Trace } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { CopyButton } from '../../components/copy-button.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';
import classes from './message.module.css';

export function MessageFacts({ trace }: { readonly trace: Trace }): ReactElement {
  const { messageId, sourceId, type, userId, receivedAt } = trace;
  return (
    <Card component="dl" m={0} className={classes['facts'] ?? ''}>
      <Fact name="messageId">
        <Group gap={4} wrap="nowrap">
          {messageId}
          <CopyButton value={messageId} of="the messageId" />
        </Group>
      </Fact>
      <Fact name="Type">{type}</Fact>
      <Fact name="Source">
        <SourceName id={sourceId} />
      </Fact>
      <Fact name="User">
        {userId === null ? (
          '–'
        ) : (
          <AnchorLink to="/messages" search={{ userId }}>
            {userId}
          </AnchorLink>
        )}
      </Fact>
      <Fact name="Received">
        <Time at={receivedAt} absolute />
      </Fact>
    </Card>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
