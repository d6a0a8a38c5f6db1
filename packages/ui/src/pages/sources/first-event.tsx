import { Card, Group, Loader, Text } from '@mantine/core';
import { IconCircleCheckFilled, IconPointFilled } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import type { Source } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { live } from '../../api/query.ts';
import { sourcesApi } from '../../api/sources.ts';
import { Time } from '../../components/time.tsx';
import { MessageLink } from '../messages/message-link.tsx';

interface FirstEventProps {
  readonly source: Source;
  /** What to do, shown until the first call arrives. */
  readonly hint: ReactNode;
}

const COLORS = { arrived: '#12b886', listening: 'var(--mantine-color-dimmed)', off: '#f59f00' } as const;

/** Whether calls arrive: waits for the first call, then shows the newest. */
export function FirstEvent({ source, hint }: FirstEventProps): ReactElement {
  const { data: totals, error } = useQuery(sourcesApi.totals(source.id));
  const arrived = totals !== undefined && totals.accepted > 0;
  const { data: events } = useInfiniteQuery({
    ...live(eventsApi.search({ sourceId: source.id })),
    enabled: arrived,
  });
  const [waited, setWaited] = useState(false);
  useEffect(() => {
    if (totals?.accepted === 0) setWaited(true);
  }, [totals?.accepted]);
  // A delete message comes from the service itself, and is not a call of the source.
  const newest = events?.pages[0]?.items.find(({ type }) => type !== 'delete');
  const state = source.enabled ? (arrived ? 'arrived' : 'listening') : 'off';
  const Sign = state === 'arrived' ? IconCircleCheckFilled : IconPointFilled;
  const isListening = totals !== undefined && state === 'listening';
  const isAwaited = source.enabled && (totals === undefined || (arrived && !events));
  const unknown = error ? 'Whether events arrive could not be read' : 'Looking for events…';
  const words = {
    arrived: waited ? 'It works: the first event has arrived' : 'Events have arrived from this source',
    listening: 'Listening for the first event…',
    off: 'This source is off: its calls are rejected',
  }[state];
  return (
    <Card padding="sm">
      <Group gap="sm" align="center" justify="space-between">
        <Group gap="sm" wrap="nowrap">
          {isListening ? (
            <Loader size={20} aria-hidden />
          ) : (
            <Sign size={20} color={COLORS[state]} style={{ flex: 'none' }} aria-hidden />
          )}
          <div>
            <Text role="status" fw={600}>
              {totals ? words : unknown}
            </Text>
            {/* Its space is reserved before its content is known, so that the content below does not move. */}
            {(isListening || isAwaited) && (
              <Text c="dimmed" style={{ visibility: isListening ? 'visible' : 'hidden' }}>
                {hint} This turns green by itself; a call that is refused is listed with its reason.
              </Text>
            )}
          </div>
        </Group>
        {newest && (
          // Without this margin, the text beside it is one pixel too high.
          <Group gap="md" align="flex-start" mb={-1}>
            <div>
              <MessageLink {...newest} />
            </div>
            <Text c="dimmed">
              <Time at={newest.receivedAt} />
            </Text>
          </Group>
        )}
      </Group>
    </Card>
  );
}
