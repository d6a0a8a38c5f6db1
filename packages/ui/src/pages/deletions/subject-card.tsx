import { Card, Group, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Regulation, RegulationSubject } from '../../../../server/src/admin/contract.ts';
import { SourceName } from '../../components/source-name.tsx';
import { many } from '../../format/number.ts';
import { NoticeReceipts } from './notice-receipts.tsx';
import classes from './subject-card.module.css';

interface SubjectCardProps {
  readonly subject: RegulationSubject;
  readonly step: Regulation['step'];
}

/** One user: where there was something of them, and whether each destination was told. */
export function SubjectCard({ subject: { userId, sources }, step }: SubjectCardProps): ReactElement {
  const events = sources.reduce((sum, source) => sum + source.events, 0);
  return (
    <Card component="section" aria-label={userId} padding={0}>
      <Group justify="space-between" gap="xs" className={classes['user'] ?? ''}>
        <Title order={3} className={classes['id'] ?? ''}>
          {userId}
        </Title>
        <Text c="dimmed">
          {step === 'searching'
            ? 'being looked for'
            : sources.length === 0
              ? 'nothing was found'
              : many(events, 'event')}
        </Text>
      </Group>
      {sources.map((source) => (
        <div key={source.sourceId} className={classes['source']}>
          <div>
            <Text fw={500}>
              <SourceName id={source.sourceId} />
            </Text>
            <Text size="xs" c="dimmed">
              {many(source.events, 'event')}
            </Text>
          </div>
          <NoticeReceipts source={source} step={step} />
        </div>
      ))}
    </Card>
  );
}
