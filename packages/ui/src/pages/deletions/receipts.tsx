import { Button, Card, Center, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Regulation, RegulationReceipt, RegulationSubject } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { choices } from '../../components/choices.ts';
import { rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Section } from '../../components/section.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { madeOf } from '../../format/attempts.ts';
import { count, duration, many } from '../../format/number.ts';
import { errorInWords, reasonInWords } from '../../format/reasons.ts';
import { shortened } from '../../format/shortened.ts';
import { toneOf } from '../messages/tone-of.ts';

interface SubjectCardProps {
  readonly subject: RegulationSubject;
  readonly step: Regulation['step'];
}

/** One user: the sources that had data, and whether each destination got the delete message. */
function SubjectCard({ subject: { userId, sources }, step }: SubjectCardProps): ReactElement {
  const events = sources.reduce((sum, source) => sum + source.events, 0);
  return (
    <Card component="section" aria-label={userId} padding={0}>
      <Group justify="space-between" gap="xs" px="md" py="sm">
        <Title order={3} miw={0} style={{ overflowWrap: 'anywhere' }}>
          {shortened(userId)}
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
        <SimpleGrid key={source.sourceId} cols={{ base: 1, sm: 2 }} spacing="xs" px="md" py="sm" style={SOURCE}>
          <div>
            <Text fw={500}>
              <SourceName id={source.sourceId} />
            </Text>
            <Text variant="aside">{many(source.events, 'event')}</Text>
          </div>
          <NoticeReceipts source={source} step={step} />
        </SimpleGrid>
      ))}
    </Card>
  );
}

const SOURCE = { borderTop: '1px solid var(--millrace-border)', overflowWrap: 'anywhere' } as const;

interface NoticeReceiptsProps {
  readonly source: RegulationSubject['sources'][number];
  readonly step: Regulation['step'];
}

/** The result of the delete message at each destination of a source. */
function NoticeReceipts({ source: { sourceId, notice }, step }: NoticeReceiptsProps): ReactElement {
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
  const isRefused = notice.receipts.some(({ state }) => state === 'failed');
  const link = (
    <AnchorLink to="/messages/$id" params={{ id: notice.messageId }} search={{ source: sourceId }}>
      {isRefused ? 'Send it again from its message' : 'Follow its message'}
    </AnchorLink>
  );
  return (
    <Stack gap="sm">
      {notice.receipts.map((receipt) => (
        <div key={receipt.destinationId}>
          <DestinationReceipt receipt={receipt} />
        </div>
      ))}
      {notice.state === 'waiting' && (
        <Group gap="sm">
          <StatusBadge tone="busy">{notice.receipts.length === 0 ? 'waiting' : 'waiting for others'}</StatusBadge>
          {link}
        </Group>
      )}
      {notice.state === 'filtered' && notice.receipts.length === 0 && (
        <Text c="dimmed">Every destination had been switched off before its turn came.</Text>
      )}
      {notice.state === 'failed' && link}
    </Stack>
  );
}

const TONES: Readonly<Record<string, Tone>> = { processed: 'good', failed: 'bad', filtered: 'off', retrying: 'warn' };
const WORDS: Readonly<Record<string, string>> = { processed: 'told' };

/** One destination: whether it got the delete message, and every request to its URLs. */
function DestinationReceipt({ receipt }: { readonly receipt: RegulationReceipt }): ReactElement {
  const { destinationId, state, reason, at, attempts } = receipt;
  const { data: destinations } = useQuery(destinationsApi.list());
  const known = destinations?.find(({ id }) => id === destinationId);
  return (
    <>
      <Group gap="sm">
        <Text fw={500}>
          {known ? (
            <AnchorLink
              to={state === 'failed' ? '/destinations/$id/failed' : '/destinations/$id'}
              params={{ id: destinationId }}
              inherit
            >
              {known.name}
            </AnchorLink>
          ) : (
            `${destinationId}${destinations ? ' (deleted)' : ''}`
          )}
        </Text>
        <StatusBadge tone={TONES[state] ?? 'idle'}>{WORDS[state] ?? state}</StatusBadge>
        <Text c="dimmed">
          <Time at={at} />
        </Text>
      </Group>
      {reason !== null && <Text>{reasonInWords(reason)}</Text>}
      {attempts.length > 0 && (
        <details open={state === 'failed'}>
          <Text component="summary" size="xs" w="fit-content">
            {many(madeOf(attempts), 'request')}
          </Text>
          <Stack component="ol" gap="xs" mt={6} fz="sm">
            {attempts.map((attempt) => (
              <Group key={`${attempt.at} ${attempt.url}`} component="li" gap="2px 12px" align="baseline">
                <StatusBadge tone={toneOf(attempt)} title={errorInWords(attempt.error) ?? undefined}>
                  {attempt.status ?? attempt.error}
                </StatusBadge>
                <span>{attempt.url}</span>
                <Text span variant="aside">
                  <Time at={attempt.at} absolute />, took {duration(attempt.ms)}
                  {attempt.leftOut && `, after ${count(attempt.leftOut)} that are no longer kept`}
                </Text>
              </Group>
            ))}
          </Stack>
        </details>
      )}
    </>
  );
}

const route = getRouteApi('/shell/deletions/$id');

/** The result for each user at each source and destination: for all users, or for those with a failure. */
export function Receipts({ regulation }: { readonly regulation: Regulation }): ReactElement {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const isNarrowed = show === 'failed';
  const list = useInfiniteQuery(regulationsApi.subjects(regulation.id, isNarrowed ? { notice: 'failed' } : {}));
  const { rows, error, onRetry, onMore, loadingMore = false } = rowsOf(list);
  return (
    <Section
      id="receipts"
      title="Users and receipts"
      gap="sm"
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Which users are shown"
          value={isNarrowed ? 'failed' : 'all'}
          onChange={(chosen) => void navigate({ search: { show: chosen === 'failed' ? chosen : '' }, replace: true })}
          data={choices({ all: `All ${count(regulation.users)}`, failed: 'Failed' })}
        />
      }
    >
      {rows?.map((subject) => (
        <SubjectCard key={subject.userId} subject={subject} step={regulation.step} />
      ))}
      {rows?.length === 0 && isNarrowed && !onMore && (
        <EmptyState bare icon={IconCircleCheck} title="Nothing has failed">
          Every delete message that has ended was taken.
        </EmptyState>
      )}
      {error && <ErrorState error={error} onRetry={onRetry} />}
      {!rows && !error && <Skeleton height={160} />}
      {onMore && (
        <Center>
          <Button variant="default" size="xs" loading={loadingMore} onClick={onMore}>
            Show more users
          </Button>
        </Center>
      )}
    </Section>
  );
}
