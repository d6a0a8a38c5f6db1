import { Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Regulation, RegulationSubject } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { DestinationReceipt } from './destination-receipt.tsx';
import classes from './subject-card.module.css';

interface NoticeReceiptsProps {
  readonly source: RegulationSubject['sources'][number];
  readonly step: Regulation['step'];
}

/** What each destination of a source made of the delete message. */
export function NoticeReceipts({ source: { sourceId, notice }, step }: NoticeReceiptsProps): ReactElement {
  if (notice === null) {
    const isToCome = step === 'searching' || step === 'erasing' || step === 'notifying';
    return (
      <Text c="dimmed">
        {isToCome
          ? 'The delete message goes out after the removal.'
          : 'No delete message was sent: no destination that was on had this source.'}
      </Text>
    );
  }
  const link = (
    <AnchorLink to="/messages/$messageId" params={{ messageId: notice.messageId }} search={{ source: sourceId }}>
      {notice.state === 'failed' ? 'Send it again from its message' : 'Follow its message'}
    </AnchorLink>
  );
  return (
    <div>
      {notice.receipts.map((receipt) => (
        <div key={receipt.destinationId} className={classes['receipt']}>
          <DestinationReceipt receipt={receipt} />
        </div>
      ))}
      {notice.state === 'waiting' && (
        <Group gap="sm">
          <StatusBadge tone="busy">waiting</StatusBadge>
          {link}
        </Group>
      )}
      {notice.state === 'filtered' && notice.receipts.length === 0 && (
        <Text c="dimmed">No destination was on any more when its turn came.</Text>
      )}
      {notice.state === 'failed' && <div className={classes['receipt']}>{link}</div>}
    </div>
  );
}
