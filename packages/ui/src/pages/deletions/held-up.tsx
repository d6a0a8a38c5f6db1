import { Alert, List } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { useInfiniteQuery, useQueries } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Regulation, TracedLane } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { useNow } from '../../components/clock.ts';
import { many } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import { LaneVerdict } from '../messages/lane-verdict.tsx';

/** Of so many sources the first delete message that waits is looked at. */
const MOST_SOURCES = 5;

/** A destination may take so long to answer, milliseconds, before the deletion is said to wait for it. */
const PROMPT_MS = 3_000;

/** Which destinations a deletion waits for, and why each has not taken its message. Nothing once all have. */
export function HeldUp({
  regulation: { id, step, notices, erasedAt },
}: {
  readonly regulation: Regulation;
}): ReactElement | null {
  // Of two clocks that differ, the distance says enough.
  const isLate = Math.abs(useNow() - Date.parse(erasedAt ?? '')) > PROMPT_MS;
  const isHeldUp = isLate && step === 'delivering' && notices.ended < notices.total;
  const list = useInfiniteQuery({ ...regulationsApi.subjects(id, { notice: 'waiting' }), enabled: isHeldUp });
  const first = new Map<string, string>();
  for (const { sourceId, notice } of list.data?.pages[0]?.items.flatMap(({ sources }) => sources) ?? []) {
    if (notice?.state === 'waiting' && !first.has(sourceId)) first.set(sourceId, notice.messageId);
  }
  const waiting = [...first].slice(0, MOST_SOURCES);
  const traces = useQueries({
    queries: waiting.map(([sourceId, messageId]) => ({
      ...messagesApi.trace(messageId, { sourceId }),
      enabled: isHeldUp,
    })),
  });
  const lanes = new Map<string, TracedLane>();
  for (const { data } of traces) {
    for (const lane of data?.lanes ?? []) {
      if (lane.state === 'waiting' || lane.state === 'retrying') lanes.set(lane.destinationId, lane);
    }
  }
  if (!isHeldUp || lanes.size === 0) return null;
  return (
    <Alert
      color="yellow"
      icon={<IconClockPause aria-hidden />}
      title={`${many(notices.total - notices.ended, 'delete message')} not taken yet`}
    >
      <List size="sm" aria-label="Destinations it waits for" spacing={6}>
        {[...lanes.values()].map((lane) => (
          <List.Item key={lane.destinationId}>
            <AnchorLink
              to="/destinations/$destinationId"
              params={{ destinationId: lane.destinationId }}
              inherit
              c="inherit"
              underline="always"
            >
              {lane.destinationName ?? lane.destinationId}
            </AnchorLink>
            {': '}
            {lastAnswer(lane) ?? 'no request was answered yet.'}
            <LaneVerdict lane={lane} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

function lastAnswer({ attempts }: TracedLane): string | null {
  const last = attempts.at(-1);
  if (!last) return null;
  return last.status === null ? errorInWords(last.error) : `it answered ${last.status}.`;
}
