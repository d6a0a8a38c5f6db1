import { Card, Group, Stack, Text, Title, UnstyledButton } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import type { Attempt, Trace, TracedLane, UrlFate } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { IdleButton } from '../../components/idle-button.tsx';
import { notifyDone, notifyFailed } from '../../components/notify.ts';
import { StateBadge } from '../../components/state-badge.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { TextDiff } from '../../components/text-diff.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { madeOf } from '../../format/attempts.ts';
import { prettyJson } from '../../format/json.ts';
import { duration, many } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import { useMayChange } from '../../shell/session.ts';
import { AttemptPanel, RequestAsSent } from './attempt-panel.tsx';
import { LaneVerdict } from './lane-verdict.tsx';
import classes from './message.module.css';
import { TimeLine } from './time-line.tsx';
import { toneOf } from './tone-of.ts';

interface LaneCardProps {
  readonly trace: Trace;
  readonly lane: TracedLane;
  /** Whether it is open at first. */
  readonly isOpen: boolean;
}

/** The message at one destination: one line, which opens to show each attempt. */
export function LaneCard({ trace, lane, isOpen }: LaneCardProps): ReactElement {
  const { destinationId, destinationName, state, reason, attempts, requests, redacted, urls, sent = trace.sent } = lane;
  const [open, setOpen] = useState(isOpen);
  const [chosen, setChosen] = useState<number | null>(null);
  const name = destinationName ?? `${destinationId} (deleted)`;
  const place = chosen ?? attempts.length - 1;
  const attempt = attempts[place];
  const request = requests.find(({ webhookId }) => webhookId === attempt?.webhookId);
  return (
    <Card component="section" aria-label={name} padding="sm">
      <details className={classes['lane']} open={open} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Group component="span" gap="sm" display="inline-flex">
            <Title order={3} component="span">
              {name}
            </Title>
            <StateBadge state={state} reason={reason} />
            {attempts.length > 0 && (
              <Text span variant="aside">
                {many(madeOf(attempts), 'attempt')}
              </Text>
            )}
          </Group>
          <LaneVerdict lane={lane} />
        </summary>
        <Stack gap="sm" mt="sm">
          {destinationName !== null && (
            <Group gap="sm">
              <ThingLink kind="destination" id={destinationId} name="Open the destination" />
              <SendAgain trace={trace} lane={lane} name={name} />
            </Group>
          )}
          {urls.length > 0 && <UrlFates urls={urls} />}
          {redacted.length > 0 && (
            <>
              <Text>
                Changed before it leaves, by the settings of now: <code>{redacted.join(', ')}</code>
              </Text>
              <TextDiff
                label={`What ${name} gets of the call`}
                before={prettyJson(trace.sent)}
                after={prettyJson(sent)}
              />
            </>
          )}
          {attempts.length > 0 && <TimeLine lane={lane} receivedAt={trace.receivedAt} />}
          {attempts.length > 0 && (
            <AttemptsTable attempts={attempts} receivedAt={trace.receivedAt} chosen={place} onChoose={setChosen} />
          )}
          {attempt && <AttemptPanel attempt={attempt} request={request} body={sent} />}
          {attempts.length === 0 && requests.length > 0 && (
            <>
              <Text fw={600}>Requests that would be sent</Text>
              {requests.map((each) => (
                <RequestAsSent key={each.webhookId} request={each} body={sent} />
              ))}
            </>
          )}
        </Stack>
      </details>
    </Card>
  );
}

const WORDS: Readonly<Record<UrlFate['fate'], readonly [tone: Tone, words: string]>> = {
  took: ['good', 'took it'],
  waits: ['busy', 'waits'],
  paused: ['off', 'paused'],
  refused: ['bad', 'refused it'],
  missed: ['bad', 'missed it'],
  none: ['idle', 'not sent'],
};

/** For a destination that needs all of its URLs: the state of the message at each URL. */
function UrlFates({ urls }: { readonly urls: readonly UrlFate[] }): ReactElement {
  return (
    <Stack component="ul" aria-label="By URL" gap={4}>
      {urls.map(({ webhookId, url, fate }) => (
        <li key={webhookId}>
          <StatusBadge tone={WORDS[fate][0]}>{WORDS[fate][1]}</StatusBadge>{' '}
          <Text span style={{ overflowWrap: 'anywhere' }}>
            {url}
          </Text>
        </li>
      ))}
    </Stack>
  );
}

interface SendAgainProps {
  readonly trace: Trace;
  readonly lane: TracedLane;
  /** Name of the destination. */
  readonly name: string;
}

/** Sends this message to this destination again. Not possible while the message still waits to be sent. */
function SendAgain({ trace: { messageId, position }, lane, name }: SendAgainProps): ReactElement | null {
  const send = useMutation(messagesApi.sendAgain());
  const goesOut = lane.state === 'waiting' || lane.state === 'retrying';
  if (!useMayChange()) return null;
  const again = (): void =>
    void send
      .mutateAsync({ messageId, position, destinationId: lane.destinationId })
      .then(() => notifyDone(`It goes to “${name}” again.`), notifyFailed(`It was not sent to “${name}” again`));
  return (
    <IdleButton
      idle={goesOut}
      why="It still waits and is sent without a click"
      variant="default"
      size="xs"
      leftSection={<IconRepeat size={14} aria-hidden />}
      loading={send.isPending}
      onClick={again}
    >
      Send again
    </IdleButton>
  );
}

interface AttemptsTableProps {
  readonly attempts: readonly Attempt[];
  readonly receivedAt: string;
  /** Index of the attempt whose request and response are shown. */
  readonly chosen: number;
  readonly onChoose: (place: number) => void;
}

interface Row extends Attempt {
  readonly place: number;
}

/** Every request to every URL, in order: the time line as a table. */
function AttemptsTable({ attempts, receivedAt, chosen, onChoose }: AttemptsTableProps): ReactElement {
  const columns: readonly Column<Row>[] = [
    {
      header: 'When',
      cell: ({ at, place, leftOut }) => (
        <UnstyledButton
          className={classes['attempt'] ?? ''}
          fz="sm"
          {...(place === chosen && { td: 'underline' })}
          aria-pressed={place === chosen}
          onClick={() => onChoose(place)}
        >
          <Time at={at} absolute />
          <Text variant="aside" component="span" display="block">
            {duration(Date.parse(at) - Date.parse(receivedAt))} after it was received
            {leftOut && `, after ${many(leftOut, 'attempt')} no longer kept`}
          </Text>
        </UnstyledButton>
      ),
    },
    { header: 'URL', cell: ({ url }) => url },
    {
      header: 'Answer',
      cell: (attempt) => (
        <StatusBadge tone={toneOf(attempt)} title={errorInWords(attempt.error) ?? undefined}>
          {attempt.status ?? attempt.error}
        </StatusBadge>
      ),
    },
    { header: 'Took', align: 'end', cell: ({ ms }) => duration(ms) },
  ];
  return (
    <DataTable
      label="Attempts"
      columns={columns}
      rows={attempts.map((attempt, place) => ({ ...attempt, place }))}
      rowKey={({ place }) => String(place)}
    />
  );
}
