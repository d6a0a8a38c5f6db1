import { Group, Text } from '@mantine/core';
import { IconWorldOff } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import type { DestinationOverview, UrlAttempts, UrlStatus } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { useNow } from '../../components/clock.ts';
import { type Column, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';
import { errorInWords } from '../../format/reasons.ts';
import { useMayChange } from '../../shell/session.ts';
import { DiscardButton, PauseButton } from './pause-button.tsx';

interface UrlRow extends UrlStatus {
  /** The URL's number in the destination, from 1. */
  readonly place: number;
  /** Id of the destination, and whether it has no other URL. A single URL is paused by pausing the destination. */
  readonly of: string;
  readonly isOnly: boolean;
  /** Attempts of the last hour; undefined if there were none. */
  readonly tried: UrlAttempts | undefined;
}

const COLUMNS: readonly Column<UrlRow>[] = [
  { header: 'URL', cell: ({ url }) => url },
  { header: 'State', cell: (row) => <State {...row} /> },
  { header: 'Attempts, 1 h', align: 'end', cell: ({ tried }) => count(tried?.attempts ?? 0) },
  {
    header: 'Succeeded',
    align: 'end',
    cell: ({ tried }) => share((tried?.attempts ?? 0) - (tried?.failed ?? 0), tried?.attempts ?? 0),
  },
  {
    header: 'In flight',
    align: 'end',
    cell: ({ inFlight, concurrency }) => (
      <span title="In a cluster: of the node that answers">{`${inFlight} of ${concurrency}`}</span>
    ),
  },
  {
    header: 'Last error',
    cell: ({ lastError, tried }) => (
      <Text c={lastError === null ? 'dimmed' : 'inherit'}>
        {lastError === null ? noError(tried) : errorInWords(lastError)}
      </Text>
    ),
  },
];

const CHANGE: Column<UrlRow> = {
  header: 'Change',
  align: 'end',
  cell: ({ id, url, place, of, pausedSince, isOnly }) => (
    <Group gap="sm" justify="flex-end" wrap="nowrap">
      {(!isOnly || pausedSince !== null) && (
        <PauseButton id={of} urlId={id} name={url} pausedSince={pausedSince} size="compact-xs" />
      )}
      {pausedSince !== null && (
        <DiscardButton id={of} pausedSince={pausedSince} urlId={id} name={url} short="Discard" size="compact-xs">
          What waits for this URL is not sent to it, and it goes on with what comes from now on. A message that waits
          for no other URL is recorded as filtered; a replay of all events can send it later, for as long as events are
          kept.
        </DiscardButton>
      )}
      <AnchorLink from="/destinations/$id" to="./settings" hash={`url-${place}`} aria-label={`Change ${url}`}>
        Change
      </AnchorLink>
    </Group>
  ),
};

/** The current state of each URL, and its attempts. */
export function UrlStates({ overview }: { readonly overview: DestinationOverview | undefined }): ReactElement {
  const mayChange = useMayChange();
  const tried = new Map(overview?.urls.map((attempts) => [attempts.id, attempts]));
  return (
    <TableSection
      id="urls"
      label="URLs"
      columns={mayChange ? [...COLUMNS, CHANGE] : COLUMNS}
      rows={overview?.status.urls.map((status, i, { length }) => ({
        ...status,
        ...{ place: i + 1, of: overview.destination.id, isOnly: length === 1, tried: tried.get(status.id) },
      }))}
      empty={
        <EmptyState icon={IconWorldOff} title="Nothing is sent now">
          The destination is switched off.
        </EmptyState>
      }
    />
  );
}

/** The service does not know errors from before its start. */
function noError(tried: UrlAttempts | undefined): string {
  return tried?.failed === 0 ? 'none' : '–';
}

/** A URL that failed this recently, milliseconds, is not ok, even if its last attempt succeeded. */
const RECENT_MS = 5 * 60_000;

/** The state by the last attempt. A few successes among many failures do not count as good until no failure came for some minutes. */
function State({ stalled, overloaded, lastError, tried, pausedSince }: UrlRow): ReactElement {
  const now = useNow();
  if (pausedSince !== null) {
    return (
      <>
        <StatusBadge tone="off">paused</StatusBadge>
        <Text variant="aside">
          since <Time at={pausedSince} minutes />
        </Text>
      </>
    );
  }
  if (stalled) {
    return (
      <StatusBadge tone="bad" title="It has failed several times in a row, and gets single attempts until it answers">
        stalled
      </StatusBadge>
    );
  }
  if (overloaded) {
    const title = 'It takes fewer messages than come: some are not sent to it while another URL keeps up';
    return (
      <StatusBadge tone="warn" title={title}>
        overloaded
      </StatusBadge>
    );
  }
  const { attempts = 0, failed = 0, lastSuccessAt = null, lastFailureAt = null } = tried ?? {};
  const hasFailed = lastError !== null || (lastFailureAt ?? '') > (lastSuccessAt ?? '');
  const isRecent = lastFailureAt !== null && now - Date.parse(lastFailureAt) < RECENT_MS;
  if (failed * 2 > attempts && hasFailed) return <StatusBadge tone="bad">failing</StatusBadge>;
  if (hasFailed || isRecent) return <StatusBadge tone="warn">errors</StatusBadge>;
  return attempts === 0 ? <StatusBadge tone="idle">idle</StatusBadge> : <StatusBadge tone="good">ok</StatusBadge>;
}
