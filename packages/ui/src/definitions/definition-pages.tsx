import { Code, Group, Text } from '@mantine/core';
import { IconPencil, IconPlus, IconRefresh, IconSend, IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { EventSummary } from '../../../server/src/admin/contract.ts';
import { share } from '../../../server/src/core/share.ts';
import type { Defined } from '../api/definitions.ts';
import { eventsApi } from '../api/events.ts';
import { AnchorLink } from '../components/anchor-link.tsx';
import { ButtonLink } from '../components/button-link.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { type Column, DataTable, rowsOf } from '../components/data-table.tsx';
import { DeleteButton } from '../components/delete-button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ListFreshness } from '../components/list-freshness.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PersonLink } from '../components/person-link.tsx';
import { StatusBadge } from '../components/status-badge.tsx';
import { Time } from '../components/time.tsx';
import { DefinitionSentence } from '../conditions/definition-sentence.tsx';
import { count } from '../format/number.ts';
import { MessageLink } from '../pages/messages/message-link.tsx';
import { useMayChange } from '../shell/session.ts';
import { ThingPage } from '../shell/thing-page.tsx';
import { DefinitionOverview } from './definition-overview.tsx';
import { type DefinitionKind, type OfKind, useDefinition, useKind } from './kinds.tsx';
import { MembersTable } from './members-table.tsx';

function columnsOf({ list, sizeOf }: DefinitionKind): readonly Column<Defined>[] {
  return [
    {
      header: 'Name',
      width: '42%',
      cell: ({ id, name, definition }) => (
        <>
          <AnchorLink to={`${list}/$id` as const} params={{ id }} fw={500}>
            {name}
          </AnchorLink>
          <Text variant="aside" lineClamp={3}>
            <DefinitionSentence definition={definition} inline />
          </Text>
        </>
      ),
    },
    { header: 'Key', cell: ({ key }) => <Code>{key}</Code> },
    { header: 'State', cell: (thing) => <DefinitionState {...thing} /> },
    { header: sizeOf, align: 'end', cell: ({ size }) => count(size) },
    { header: 'Destinations', align: 'end', cell: ({ destinationIds }) => count(destinationIds.length) },
    { header: 'Last sent', cell: ({ sentAt }) => <Time at={sentAt} otherwise="never" /> },
  ];
}

/** All audiences or computed traits, live. */
export function List(): ReactElement {
  const kind = useKind();
  const mayChange = useMayChange();
  const list = useInfiniteQuery(kind.api.list());
  const isNew = list.data?.pages[0]?.items.length === 0;
  const create = mayChange && (
    <ButtonLink to={`${kind.list}/new` as const} leftSection={<IconPlus size={16} aria-hidden />}>
      New {kind.noun}
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title={kind.plural} description={kind.about} actions={!isNew && create} />
      <DataTable
        label={kind.plural}
        columns={columnsOf(kind)}
        {...rowsOf(list)}
        empty={
          <EmptyState icon={kind.icon} title={`No ${kind.noun} yet`} action={create}>
            {kind.example}
          </EmptyState>
        }
      />
    </>
  );
}

/** The page of one audience or trait. Its tabs have their own addresses. */
export function One(): ReactElement {
  const kind = useKind();
  const mayChange = useMayChange();
  return (
    <ThingPage
      kind={kind}
      one={kind.api.one}
      header={(of) => ({
        badge: <DefinitionState {...of} />,
        description: (
          <>
            Key <Code>{of.key}</Code>
          </>
        ),
        actions: mayChange && (
          <>
            <ButtonLink
              to={`${kind.list}/$id/edit` as const}
              params={{ id: of.id }}
              leftSection={<IconPencil size={16} aria-hidden />}
            >
              Edit
            </ButtonLink>
            <SyncButton kind={kind} of={of} />
            <DeleteButton
              kind={kind}
              of={of}
              remove={kind.api.remove()}
              label="Delete"
              icon={<IconTrash size={16} aria-hidden />}
            >
              Its definition and its source are deleted, and what still waits of its calls is recorded as filtered. No
              call is sent for its {count(of.size)} {kind.members}: receivers keep the last <code>{of.key}</code> they
              got.
            </DeleteButton>
          </>
        ),
      })}
      tabs={() => kind.tabs}
    />
  );
}

/** Sends a call for every person again, for receivers that were connected later or lost their data. */
function SyncButton({ kind, of: { id, name, size, state, destinationIds } }: OfKind): ReactElement {
  const sync = useMutation(kind.api.sync());
  const to = destinationIds.length;
  return (
    <ConfirmButton
      label="Sync again"
      button={{
        leftSection: <IconRefresh size={16} aria-hidden />,
        idle: state !== 'live',
        why: `It is ${state}: wait until that is done`,
      }}
      title={`Sync “${name}” again?`}
      action="Send the calls"
      onConfirm={() => sync.mutateAsync(id)}
    >
      One identify call is sent for each of the {kind.members} who has a user id: {count(size)} at most,{' '}
      {to === 0
        ? 'and no destination is connected that would get them'
        : `to ${to === 1 ? 'one destination' : `each of ${to} destinations`}`}
      . No call is sent for persons who are out.
    </ConfirmButton>
  );
}

const ABOUT = {
  live: 'Every change is followed as it happens',
  computing: 'All persons are being checked',
  syncing: 'A call is being sent for each person in it again',
};

/** Its state, and the progress. */
function DefinitionState({ state, progress }: Pick<Defined, 'state' | 'progress'>): ReactElement {
  const done = progress === null || progress === 0 ? '' : ` ${share(progress, 1)}`;
  return (
    <StatusBadge tone={state === 'live' ? 'good' : 'busy'} title={ABOUT[state]}>
      {state}
      {done}
    </StatusBadge>
  );
}

export function Overview(): ReactElement {
  return <DefinitionOverview {...useDefinition()} />;
}

export function Members(): ReactElement {
  return <MembersTable {...useDefinition()} />;
}

const COLUMNS: readonly Column<EventSummary>[] = [
  { header: 'Message', cell: (message) => <MessageLink {...message} /> },
  { header: 'Person', cell: ({ userId }) => (userId === null ? '–' : <PersonLink id={userId} userId={userId} />) },
  { header: 'Sent', cell: ({ receivedAt }) => <Time at={receivedAt} /> },
];

/** Its identify calls, newest first. Each leads to its trace at every destination. */
export function Sent(): ReactElement {
  const { sourceId, sentAt } = useDefinition().of;
  const list = useInfiniteQuery(eventsApi.search({ sourceId }));
  return (
    <>
      <Group justify="space-between" mb="xs">
        <Text c="dimmed">
          Its identify calls are messages like any other:{' '}
          <AnchorLink to="/messages" search={{ source: sourceId }} td="underline">
            search them
          </AnchorLink>
          .
        </Text>
        <ListFreshness list={list} />
      </Group>
      <DataTable
        label="Sent messages"
        columns={COLUMNS}
        {...rowsOf(list)}
        empty={
          <EmptyState
            icon={IconSend}
            title={sentAt === null ? 'Nothing was sent yet' : 'The messages that were sent are no longer kept'}
          >
            A call is sent for each person once, and from then on when something changes for them.
          </EmptyState>
        }
      />
    </>
  );
}
