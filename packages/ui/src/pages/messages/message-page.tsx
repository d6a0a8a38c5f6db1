import { Alert, Card, Grid, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { IconRouteOff } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import type { Trace, TracedLane } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { choices } from '../../components/choices.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Fact } from '../../components/fact.tsx';
import { JsonView } from '../../components/json-view.tsx';
import { Section } from '../../components/section.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { Time } from '../../components/time.tsx';
import { count, many } from '../../format/number.ts';
import { shortened } from '../../format/shortened.ts';
import { DetailPage } from '../../shell/detail-page.tsx';
import { THINGS } from '../../shell/things.ts';
import { LaneCard } from './lane-card.tsx';

const route = getRouteApi('/shell/messages/$id');

/** One message: the call, every attempt at each destination, and what was sent. */
export function MessagePage(): ReactElement {
  const { id: messageId } = route.useParams();
  const { position, source, user } = route.useSearch();
  return (
    <DetailPage
      kind={THINGS.message}
      one={(id) => messagesApi.trace(id, { position, sourceId: source, userId: user })}
      missing={
        <>
          Nothing with this messageId is kept{source !== undefined && ' of this source'}
          {user !== undefined && ' and user'}
          {position !== undefined && ' at this place of the log'}. It may never have been accepted, it may be older than
          the retention, or a deletion has removed it.{' '}
          <AnchorLink to="/messages" search={{ messageId }} inherit td="underline">
            Look for its messageId
          </AnchorLink>
          .
        </>
      }
      header={({ event, type }) => ({
        title: shortened(event ?? type),
        documentTitle: `${shortened(event ?? type)}, message ${messageId}`,
      })}
    >
      {(trace) => (
        <Stack gap="md">
          <MessageWay trace={trace} />
        </Stack>
      )}
    </DetailPage>
  );
}

/** States in the order of display: those that need attention first. */
const FIRST: readonly TracedLane['state'][] = ['failed', 'retrying', 'waiting', 'processed', 'filtered'];

/** The way of the message, from the call to every endpoint. */
function MessageWay({ trace }: { readonly trace: Trace }): ReactElement {
  const lanes = trace.lanes.toSorted((a, b) => FIRST.indexOf(a.state) - FIRST.indexOf(b.state));
  return (
    <>
      <MessageFacts trace={trace} />
      {trace.others > 0 && (
        <Text>
          A messageId is unique per source and user. {many(trace.others, 'other message')} with this one:{' '}
          <AnchorLink to="/messages" search={{ messageId: trace.messageId }} inherit td="underline">
            list them all
          </AnchorLink>
        </Text>
      )}
      {(trace.notKept.traits.length > 0 || trace.notKept.group !== null) && (
        <Alert color="yellow" title="The profile does not keep all of it">
          It is delivered as it is. {notKeptInWords(trace.notKept)}
        </Alert>
      )}
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 7 }}>
          <Section id="lanes" title="Destinations" gap="sm">
            {lanes.length === 0 && (
              <EmptyState icon={IconRouteOff} title="No destination got it">
                Its source was connected to none when it was received. Connect one, then replay all events to it.
              </EmptyState>
            )}
            {lanes.map((lane) => (
              <LaneCard
                key={lane.destinationId}
                trace={trace}
                lane={lane}
                isOpen={lane.state === 'failed' || lanes.length === 1}
              />
            ))}
          </Section>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 5 }}>
          <Payload trace={trace} />
        </Grid.Col>
      </Grid>
    </>
  );
}

/** Most traits that are named. */
const NAMED = 5;

function notKeptInWords({ traits, group }: Trace['notKept']): string {
  if (group !== null) return `The person has as many groups as are kept, and is not in “${group}”.`;
  const named = traits.slice(0, NAMED).map((name) => `“${shortened(name)}”`);
  const rest = traits.length - named.length;
  return `Left out, because they are too many or too long: ${named.join(', ')}${rest > 0 ? ` and ${count(rest)} more` : ''}.`;
}

/** The received call, and the body sent to every URL. */
function Payload({ trace }: { readonly trace: Trace }): ReactElement {
  const [side, setSide] = useState('sent');
  return (
    <Section
      id="payload"
      title="Payload"
      miw={0}
      aside={
        <SegmentedControl
          size="xs"
          aria-label="Which payload"
          value={side}
          onChange={setSide}
          data={choices({ sent: 'Sent', received: 'Received' })}
        />
      }
    >
      {side === 'sent' ? (
        <JsonView text={trace.sent} label="body as it is sent" height={640} />
      ) : (
        <JsonView text={JSON.stringify(trace.received)} label="call as it was received" height={640} />
      )}
    </Section>
  );
}

function MessageFacts({ trace }: { readonly trace: Trace }): ReactElement {
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
              {shortened(userId)}
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
