import { Card, Group, Loader, Progress, Skeleton, Text, VisuallyHidden } from '@mantine/core';
import { IconSearch, IconUsers } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { FoundPerson, PeopleStatus } from '../../../../server/src/admin/contract.ts';
import { share } from '../../../../server/src/core/share.ts';
import { peopleApi } from '../../api/people.ts';
import { ConfirmButton } from '../../components/confirm-button.tsx';
import { type Column, DataTable, rowsOf } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { useReadOn } from '../../components/read-on.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { count, many } from '../../format/number.ts';
import { parsed } from '../../format/parsed.ts';
import { shortened } from '../../format/shortened.ts';
import { useMayChange } from '../../shell/session.ts';
import { peopleQuery } from './people-search.ts';

const route = getRouteApi('/shell/people');

const COLUMNS: readonly Column<FoundPerson>[] = [
  {
    header: 'Person',
    width: '50%',
    cell: (person) => <PersonLink {...person} />,
  },
  {
    header: 'Found by',
    cell: ({ foundBy: { trait, value } }) => (trait === null ? shortened(value) : `${trait}: ${shortened(value)}`),
  },
];

/** A search by a trait reads on until it has this many more persons. */
const ENOUGH = 50;

/** The known persons. A search finds them by the beginning of an id or of a trait that names them, or by the value of any trait. */
export function PeoplePage(): ReactElement {
  const { text = '' } = route.useSearch();
  const query = peopleQuery(text);
  const list = useInfiniteQuery(peopleApi.search(query));
  const { state, goOn } = useReadOn(list, text, ENOUGH);
  const table = rowsOf(list);
  const page = list.data?.pages.at(-1);
  const isLooking = table.rows?.length === 0 && state === 'reading';
  return (
    <>
      <PageHeader
        title="People"
        description="Who your calls speak of, and what is known of each: ids, traits, groups, events and audiences."
      />
      <PeopleStatusCard />
      <FindField
        of="People"
        my="md"
        maw={560}
        label="Find a person"
        description="By the beginning of an id (upper and lower case told apart), an e-mail address, a name or a phone number; or by any trait and its value: plan = pro"
        placeholder="u-4711"
      />
      <DataTable
        label="People"
        columns={COLUMNS}
        {...table}
        rows={isLooking ? undefined : table.rows}
        onMore={state === 'waiting' ? goOn : undefined}
        empty={
          text === '' ? (
            <EmptyState icon={IconUsers} title="No person is known yet">
              Every id that a call carries is a person's: <code>userId</code>, <code>anonymousId</code> and the{' '}
              <code>previousId</code> of an alias. A call with two of them can join them to one person.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="No person found">
              {'trait' in query ? (
                <>
                  No person has the trait <code>{shortened(query.trait)}</code> with the value{' '}
                  <code>{shortened(query.value)}</code>. Upper and lower case are told apart.
                  {isListOrObject(query.value) &&
                    ' Lists and objects are not found, only texts, numbers, true, false and null.'}
                </>
              ) : (
                <>
                  No id begins with “{shortened(text)}”, and no trait <code>email</code>, <code>name</code>,{' '}
                  <code>firstName</code>, <code>lastName</code>, <code>username</code> or <code>phone</code>. Any other
                  trait is found with its value: <code>plan = pro</code>
                </>
              )}
            </EmptyState>
          )
        }
      />
      {page && !list.isPlaceholderData && (
        <HowFar searched={page.searched} more={page.more} isReading={state === 'reading'} text={text} />
      )}
    </>
  );
}

function isListOrObject(typed: string): boolean {
  const value = parsed(typed);
  return typeof value === 'object' && value !== null;
}

/** The progress of a search by a trait, and a hint that a text finds others. Screen readers announce only its end. */
function HowFar({
  searched,
  more,
  isReading,
  text,
}: {
  readonly searched: number | null;
  readonly more: boolean;
  readonly isReading: boolean;
  readonly text: string;
}): ReactElement | null {
  const narrow =
    text === ''
      ? 'These are some of all people: find others above.'
      : 'More people are found than are shown: type more.';
  const said = searched === null ? (more ? narrow : null) : howFar(searched);
  return (
    <>
      {said !== null && (
        <Text c="dimmed" mt="sm">
          {isReading && <Loader size={12} mr={8} aria-hidden />}
          {said}
        </Text>
      )}
      <VisuallyHidden role="status">{isReading ? '' : said}</VisuallyHidden>
    </>
  );
}

function howFar(searched: number): string {
  return searched === 1 ? 'All people were looked through.' : `Looked through ${share(searched, 1)} of all people.`;
}

/** The state of profiles, live, and a button to rebuild them. */
function PeopleStatusCard(): ReactElement {
  const { data: status, error, refetch } = useQuery(peopleApi.status());
  const mayChange = useMayChange();
  const rebuild = useMutation(peopleApi.rebuild());
  if (!status) return error ? <ErrorState error={error} onRetry={() => void refetch()} /> : <Skeleton height={60} />;
  const { persons, rebuilding } = status;
  return (
    <Card component="section" aria-label="State of the profiles" py="sm">
      <Group justify="space-between" gap="sm">
        <Group gap="sm">
          <Standing {...status} />
          <Text>
            <b>{count(persons)}</b> {persons === 1 ? 'person' : 'persons'}
          </Text>
          <Text c="dimmed">{behindInWords(status)}</Text>
        </Group>
        {mayChange && (
          <ConfirmButton
            label="Rebuild"
            button={{ size: 'xs', disabled: rebuilding !== null }}
            title={`Rebuild the profiles of ${many(persons, 'person')}?`}
            action="Rebuild the profiles"
            typeFirst="rebuild"
            onConfirm={() => rebuild.mutateAsync()}
          >
            All profiles are forgotten and read again from the log. <b>What the log no longer holds is lost:</b> traits
            and events older than the retention. Audiences and computed traits stand still until the log is read; then
            what differs from before is told to destinations, but nothing of persons whom the log no longer holds.
            Deliveries go on meanwhile.
          </ConfirmButton>
        )}
      </Group>
      {rebuilding !== null && <Progress mt="sm" value={100 * rebuilding} aria-label="How much of the log is read" />}
    </Card>
  );
}

function Standing({ rebuilding, lag }: PeopleStatus): ReactElement {
  if (rebuilding !== null) return <StatusBadge tone="busy">rebuilding, {share(rebuilding, 1)}</StatusBadge>;
  return lag > 0 ? (
    <StatusBadge tone="busy">catching up</StatusBadge>
  ) : (
    <StatusBadge tone="good">up to date</StatusBadge>
  );
}

function behindInWords({ lag, outbox }: PeopleStatus): string {
  const parts = [
    lag === 0 ? 'every accepted call is taken in' : `${many(lag, 'call')} to be taken in`,
    outbox === 0 ? 'every change is told' : `${many(outbox, 'call')} to be told of changes`,
  ];
  return parts.join(', ');
}
