import { TextInput } from '@mantine/core';
import { IconSearch, IconUsers } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { FoundPerson } from '../../../../server/src/admin/contract.ts';
import { peopleApi } from '../../api/people.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PersonLink } from '../../components/person-link.tsx';
import { useRestedText } from '../../components/rested-text.ts';
import { shortened } from '../../format/shortened.ts';
import { PeopleStatusCard } from './people-status-card.tsx';

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

/** Who is known: found by the beginning of any of their ids, or of a trait that names them. */
export function PeoplePage(): ReactElement {
  const { text = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, refetch } = useQuery({ ...peopleApi.search(text), placeholderData: keepPreviousData });
  const [typed, type] = useRestedText(
    text,
    (prefix) => void navigate({ search: prefix === '' ? {} : { text: prefix }, replace: true }),
  );
  return (
    <>
      <PageHeader
        title="People"
        description="Who your calls speak of, and what is known of each: ids, traits, groups, events and audiences."
      />
      <PeopleStatusCard />
      <search aria-label="People">
        <TextInput
          my="md"
          maw={460}
          label="Find a person"
          description="By the beginning of an id (upper and lower case told apart), an e-mail address, a name or a phone number."
          placeholder="u-4711"
          leftSection={<IconSearch size={16} aria-hidden />}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => type(event.currentTarget.value)}
        />
      </search>
      <DataTable
        label="People"
        columns={COLUMNS}
        rows={data}
        rowKey={({ id }) => id}
        error={error}
        onRetry={() => void refetch()}
        empty={
          text === '' ? (
            <EmptyState icon={IconUsers} title="Nobody is known yet">
              Every id that a call carries is somebody: <code>userId</code>, <code>anonymousId</code> and the{' '}
              <code>previousId</code> of an alias. A call with two of them says that they are one person.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="Nobody is found">
              No id begins with “{shortened(text)}”, and no trait <code>email</code>, <code>name</code>,{' '}
              <code>firstName</code>, <code>lastName</code>, <code>username</code> or <code>phone</code>.
            </EmptyState>
          )
        }
      />
    </>
  );
}
