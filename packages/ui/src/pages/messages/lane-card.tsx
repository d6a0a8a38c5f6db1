import { Card, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import type { Trace, TracedLane } from '../../../../server/src/admin/contract.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { AttemptsTable } from './attempts-table.tsx';
import { LaneVerdict } from './lane-verdict.tsx';
import { RequestAsSent } from './request-as-sent.tsx';
import { SendAgain } from './send-again.tsx';
import { TimeLine } from './time-line.tsx';

interface LaneCardProps {
  readonly trace: Trace;
  readonly lane: TracedLane;
}

/** What one destination made of the message. */
export function LaneCard({ trace, lane }: LaneCardProps): ReactElement {
  const { destinationId, destinationName, state, reason, attempts, requests } = lane;
  const name = destinationName ?? `${destinationId} (deleted)`;
  return (
    <Card component="section" aria-label={name}>
      <Stack gap="sm">
        <Group justify="space-between" gap="sm" align="flex-start">
          <div>
            <Group gap="sm">
              <Title order={3}>
                {destinationName === null ? (
                  name
                ) : (
                  <AnchorLink to="/destinations/$destinationId" params={{ destinationId }} inherit>
                    {name}
                  </AnchorLink>
                )}
              </Title>
              <StateBadge state={state} reason={reason} />
            </Group>
            <LaneVerdict lane={lane} />
          </div>
          {destinationName !== null && <SendAgain trace={trace} lane={lane} name={name} />}
        </Group>
        {attempts.length > 0 && (
          <>
            <TimeLine lane={lane} receivedAt={trace.receivedAt} />
            <AttemptsTable attempts={attempts} receivedAt={trace.receivedAt} />
          </>
        )}
        {requests.length > 0 && (
          <Stack gap="xs">
            <div>
              <Text size="sm" fw={600}>
                {attempts.length === 0 ? 'Requests that would be sent' : 'Requests as sent'}
              </Text>
              <Text size="xs" c="dimmed">
                Each with the body that stands below under “Sent”.
              </Text>
            </div>
            {requests.map((request) => (
              <RequestAsSent key={request.url} request={request} body={trace.sent} />
            ))}
          </Stack>
        )}
      </Stack>
    </Card>
  );
}
