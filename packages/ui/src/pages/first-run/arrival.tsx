import { Alert, Group, Loader, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import type { TracedLane } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { duration } from '../../format/number.ts';
import { errorInWords, reasonInWords } from '../../format/reasons.ts';

interface ArrivalProps {
  readonly messageId: string;
  readonly sourceId: string;
  /** What the user can do next. */
  readonly children: ReactNode;
}

/** The progress of one message, live. */
export function Arrival({ messageId, sourceId, children }: ArrivalProps): ReactElement {
  const { data: trace, error, refetch } = useQuery(messagesApi.trace(messageId, { sourceId }));
  return (
    <Stack gap="sm">
      {error && !trace && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!trace && !error && <Loader size="sm" aria-label="Looking for the message" />}
      <div aria-live="polite">
        <Stack gap="sm">
          {trace?.lanes.map((lane) => (
            <LaneOutcome key={lane.destinationId} lane={lane} receivedAt={trace.receivedAt} />
          ))}
        </Stack>
      </div>
      {trace?.lanes.length === 0 && <Text>No destination gets calls of this source.</Text>}
      <Text>
        <AnchorLink to="/messages/$id" params={{ id: messageId }} search={{ source: sourceId }}>
          See the whole way of this message
        </AnchorLink>
      </Text>
      <Group gap="xs" align="flex-start">
        {children}
      </Group>
    </Stack>
  );
}

function LaneOutcome({ lane, receivedAt }: { readonly lane: TracedLane; readonly receivedAt: string }): ReactElement {
  const { state, reason, attempts, updatedAt, destinationName, destinationId } = lane;
  const name = destinationName ?? destinationId;
  const arrived = state === 'processed';
  const took = updatedAt === null ? null : Math.max(0, Date.parse(updatedAt) - Date.parse(receivedAt));
  return (
    <Alert
      color={arrived ? 'teal' : 'yellow'}
      icon={arrived ? <IconCircleCheck aria-hidden /> : <IconInfoCircle aria-hidden />}
      title={arrived ? `It has arrived at “${name}”, ${duration(took)} after it was accepted` : `For “${name}”`}
    >
      <Stack gap={6}>
        <Group gap="xs">
          <StateBadge state={state} reason={reason} />
          {reason !== null && <Text>{reasonInWords(reason)}</Text>}
        </Group>
        {attempts.map(({ url, at, status, error, ms }) => (
          <Text key={`${url} ${at}`} style={{ overflowWrap: 'anywhere' }}>
            {url}: {status ?? errorInWords(error)} in {duration(ms)}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}
