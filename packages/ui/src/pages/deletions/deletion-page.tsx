import { Alert, Button, List, Stack } from '@mantine/core';
import { IconAlertTriangle, IconClockPause, IconDownload } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueries } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Regulation, TracedLane } from '../../../../server/src/admin/contract.ts';
import { messagesApi } from '../../api/messages.ts';
import { regulationsApi } from '../../api/regulations.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { useNow } from '../../components/clock.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { notifyDone } from '../../components/notify.ts';
import { ThingLink } from '../../components/thing-link.tsx';
import { many } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import { DetailPage } from '../../shell/detail-page.tsx';
import { useMayChange } from '../../shell/session.ts';
import { THINGS } from '../../shell/things.ts';
import { LaneVerdict } from '../messages/lane-verdict.tsx';
import { toneOf } from '../messages/tone-of.ts';
import { Standing } from './deletion-parts.tsx';
import { DeletionSteps } from './deletion-steps.tsx';
import { TYPES } from './deletion-words.ts';
import { Receipts } from './receipts.tsx';

const route = getRouteApi('/shell/deletions/$id');

/** One deletion: its progress, live, and the receipts of every user, source, destination and URL. */
export function DeletionPage(): ReactElement {
  const { id: regulationId } = route.useParams();
  const mayChange = useMayChange();
  return (
    <DetailPage
      kind={THINGS.deletion}
      one={regulationsApi.one}
      back={<AnchorLink to="/deletions">Deletion</AnchorLink>}
      missing="Its record was deleted, or the address is not whole. What it removed stays removed."
      documentTitle={`Deletion ${regulationId}`}
      description={regulationId}
      header={(regulation) => ({
        title: `${TYPES[regulation.regulationType]} ${many(regulation.users, 'user')}`,
        badge: <Standing {...regulation} />,
        actions: (
          <>
            <Button
              component="a"
              variant="default"
              href={regulationsApi.reportUrl(regulationId)}
              download
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              Download the report
            </Button>
            {mayChange && <DeleteRecord regulation={regulation} />}
          </>
        ),
      })}
    >
      {(regulation) => (
        <Stack gap="md">
          {regulation.notices.failed > 0 && <FailedNotices regulation={regulation} />}
          <HeldUp regulation={regulation} />
          <DeletionSteps regulation={regulation} />
          <Receipts regulation={regulation} />
        </Stack>
      )}
    </DetailPage>
  );
}

/** The failed delete messages, and how to send them again. */
function FailedNotices({ regulation: { id, notices } }: { readonly regulation: Regulation }): ReactElement {
  const one = notices.failed === 1;
  return (
    <Alert
      color="red"
      icon={<IconAlertTriangle aria-hidden />}
      title={`${many(notices.failed, 'delete message')} failed`}
    >
      A destination refused {one ? 'it' : 'them'} for good, so it may still have the data. Repair the endpoint, then
      send {one ? 'it' : 'them'} again: one from the page of its message, or all under <b>Failed</b> of the destination.
      What comes of it is noted here.{' '}
      <AnchorLink
        to="/deletions/$id"
        params={{ id }}
        search={{ show: 'failed' }}
        inherit
        c="inherit"
        underline="always"
      >
        Show what failed
      </AnchorLink>
    </Alert>
  );
}

/** Removes the record of a deletion, which holds the last data about its users. Not possible while the deletion runs. */
function DeleteRecord({ regulation }: { readonly regulation: Regulation }): ReactElement {
  const { id, users, status, notices, regulationType } = regulation;
  const navigate = useNavigate();
  const remove = useMutation(regulationsApi.remove());
  const confirm = async (): Promise<void> => {
    await remove.mutateAsync({ id });
    notifyDone(`The record of ${id} is deleted.`);
    await navigate({ to: '/deletions' });
  };
  return (
    <ConfirmButton
      label="Delete the record"
      button={{
        variant: 'subtle',
        color: 'red',
        idle: status === 'running',
        why: 'Only the record of a finished deletion can be deleted',
      }}
      title={`Delete the record ${id}?`}
      action="Delete the record"
      typeFirst={id}
      onConfirm={confirm}
    >
      The ids of {many(users, 'user')}, the numbers of removed events and every receipt are deleted: download the report
      first if you need evidence.{' '}
      {notices.failed > 0 && `${many(notices.failed, 'delete message')} that failed can't be sent again afterwards. `}
      {regulationType === 'SUPPRESS_WITH_DELETE' && 'The users stay suppressed.'}
    </ConfirmButton>
  );
}

/** Most sources whose first waiting delete message is looked up. */
const MOST_SOURCES = 5;

/** Milliseconds that a destination may take before the page says that the deletion waits for it. */
const PROMPT_MS = 3_000;

/** The destinations that a deletion waits for, each with the reason. Nothing once all have taken their messages. */
function HeldUp({
  regulation: { id, step, notices, erasedAt },
}: {
  readonly regulation: Regulation;
}): ReactElement | null {
  // The two times are from different clocks: only their distance is used.
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
      title={`${many(notices.total - notices.ended, 'delete message')} not taken everywhere yet`}
    >
      <List size="sm" aria-label="Destinations it waits for" spacing={6}>
        {[...lanes.values()].map((lane) => (
          <List.Item key={lane.destinationId}>
            <ThingLink
              kind="destination"
              id={lane.destinationId}
              name={lane.destinationName ?? lane.destinationId}
              inherit
              c="inherit"
              underline="always"
            />
            {': '}
            {lastFailure(lane) ?? 'no request was answered yet.'}
            <LaneVerdict lane={lane} />
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** What keeps the message waiting; where all URLs have to take it, some of them may have. */
function lastFailure({ attempts }: TracedLane): string | null {
  const last = attempts.findLast((attempt) => toneOf(attempt) !== 'good');
  if (!last) return null;
  return last.status === null ? errorInWords(last.error) : `it answered ${last.status}.`;
}
