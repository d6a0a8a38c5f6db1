import { Box, Stack } from '@mantine/core';
import {
  IconCheck,
  IconCircleDashed,
  IconCircleHalf2,
  IconClock,
  IconFilter,
  IconMailSearch,
  IconRefresh,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { EventOutcome, FoundEvent } from '../../../../server/src/admin/contract.ts';
import { eventsApi } from '../../api/events.ts';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListFreshness } from '../../components/list-freshness.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useReadOn } from '../../components/read-on.ts';
import { SourceName } from '../../components/source-name.tsx';
import { StatusBadge, type Tone } from '../../components/status-badge.tsx';
import { Time } from '../../components/time.tsx';
import { useBounds } from '../../components/use-bounds.ts';
import { shortened } from '../../format/shortened.ts';
import { MessageFilters, type MessageSearch } from './message-filters.tsx';
import { MessageLink } from './message-link.tsx';

const route = getRouteApi('/shell/messages');

/** Answers “Where is my event?”. Finds every accepted event, also those that no destination took. */
export function MessagesPage(): ReactElement {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title="Messages"
        description="Where is my event? Find it by its messageId or its user, and follow it to every destination."
      />
      <Stack gap="md">
        <MessageFilters
          search={search}
          onChange={(part) => void navigate({ search: (before) => ({ ...before, ...part }) })}
        />
        <MessagesTable search={search} />
      </Stack>
    </>
  );
}

const COLUMNS: readonly Column<FoundEvent>[] = [
  { header: 'Message', cell: (message) => <MessageLink {...message} /> },
  { header: 'Outcome', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} />, width: '120px' },
  // A long name must not take space from the search fields.
  {
    header: 'Source',
    cell: ({ sourceId }) => (
      <Box maw="14rem">
        <SourceName id={sourceId} />
      </Box>
    ),
  },
  {
    header: 'User',
    cell: ({ userId }) => (
      <Box miw="5rem" maw="18rem">
        {shortened(userId ?? '–')}
      </Box>
    ),
  },
  { header: 'Received', cell: ({ receivedAt }) => <Time at={receivedAt} absolute />, width: '270px' },
];

/** A search reads older events until it has this many rows, or has sent the greatest number of requests. */
const ENOUGH = 20;
const MOST_PAGES = 20;

/** The accepted events that match, newest first. */
function MessagesTable({ search }: { readonly search: MessageSearch }): ReactElement {
  const key = JSON.stringify(search);
  const { messageId, userId, source: sourceId, type, event } = search;
  const isText = messageId !== undefined || userId !== undefined || event !== undefined;
  const match = isText && search.match !== 'exact' ? 'prefix' : undefined;
  const filter = { messageId, userId, sourceId, type, event, match, ...useBounds(search, key) } as const;
  const list = useInfiniteQuery(eventsApi.search(filter));
  useReadOn(list, key, ENOUGH, MOST_PAGES);
  return (
    <Stack gap="xs">
      <ListFreshness list={list} />
      <DataTable
        label="Messages"
        linked
        columns={COLUMNS}
        {...rowsOf(list)}
        empty={<Nothing isNarrowed={Object.keys(search).length > 0} />}
      />
    </Stack>
  );
}

function Nothing({ isNarrowed }: { readonly isNarrowed: boolean }): ReactElement {
  if (!isNarrowed) {
    return (
      <EmptyState icon={IconMailSearch} title="No message yet">
        Every call that is accepted is listed here, newest first, also when no destination takes it.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconMailSearch} title="No message fits">
      Ids and names are found by their beginning, upper and lower case of A to Z alike. A call that was refused has no
      message: the page of its source lists what was refused, and why. Messages older than the retention are gone.
    </EmptyState>
  );
}

interface Sign {
  readonly tone: Tone;
  readonly icon: TablerIcon;
  readonly word: string;
  readonly title: string;
}

const SIGNS: Readonly<Record<EventOutcome, Sign>> = {
  delivered: { tone: 'good', icon: IconCheck, word: 'delivered', title: 'Every destination that wants it has it' },
  partly: {
    tone: 'bad',
    icon: IconCircleHalf2,
    word: 'partly',
    title: 'Delivered to one destination or more, failed at another',
  },
  failed: { tone: 'bad', icon: IconX, word: 'failed', title: 'Failed at one destination or more, delivered to none' },
  retrying: { tone: 'warn', icon: IconRefresh, word: 'retrying', title: 'A destination failed and is tried again' },
  waiting: { tone: 'busy', icon: IconClock, word: 'waiting', title: 'Its turn has not come at a destination' },
  filtered: { tone: 'off', icon: IconFilter, word: 'filtered', title: 'Each destination left it out, or let it go' },
  none: {
    tone: 'idle',
    icon: IconCircleDashed,
    word: 'no destination',
    title: 'Its source was connected to no destination',
  },
};

/** The state of a message at all destinations together, as a word and an icon. */
function OutcomeBadge({ outcome }: { readonly outcome: EventOutcome }): ReactElement {
  const { tone, icon: Icon, word, title } = SIGNS[outcome];
  return (
    <StatusBadge
      tone={tone}
      title={title}
      sign={<Icon size={13} stroke={2.5} color={`var(--millrace-${tone}, currentcolor)`} aria-hidden />}
    >
      {word}
    </StatusBadge>
  );
}
