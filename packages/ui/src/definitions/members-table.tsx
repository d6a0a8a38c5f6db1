import { Button, Group, Menu, Text } from '@mantine/core';
import { IconDownload, IconSearch, IconUsersGroup } from '@tabler/icons-react';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { MouseEvent, ReactElement } from 'react';
import type { ListedMember } from '../../../server/src/admin/contract.ts';
import { sessionApi } from '../api/session.ts';
import { type Column, DataTable, rowsOf } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FindField } from '../components/find-field.tsx';
import { ListFreshness } from '../components/list-freshness.tsx';
import { notifyFailed } from '../components/notify.ts';
import { PersonLink } from '../components/person-link.tsx';
import { Time } from '../components/time.tsx';
import { isText, shortened } from '../format/shortened.ts';
import type { DefinitionKind, OfKind } from './kinds.tsx';

const PERSON: Column<ListedMember> = { header: 'Person', cell: (member) => <Ids {...member} /> };
const NAMES: Column<ListedMember> = { header: 'Name', cell: ({ names }) => <Names names={names} /> };

/** Its current members: the newest first, or those that a text finds. */
export function MembersTable({ kind, of: { id, state } }: OfKind): ReactElement {
  const { text = '' } = useSearch({ strict: false });
  const list = useInfiniteQuery(kind.api.members(id, text));
  const columns = [PERSON, NAMES, { header: kind.since, width: '170px', cell: joined }, kind.beside(id)];
  const more = list.data?.pages.some((page) => page.more) ? 'More are found than are shown: type more.' : '';
  return (
    <>
      <Group justify="space-between" align="flex-end" mb="xs" gap="sm">
        <FindField
          of={kind.members}
          w={{ base: '100%', sm: 380 }}
          label="Find one of them"
          description="By the beginning of an id, an e-mail address, a name or a phone number."
          maxLength={1_000}
        />
        <Export kind={kind} id={id} isComputing={state === 'computing'} />
      </Group>
      <ListFreshness list={list} />
      <DataTable
        label={kind.members}
        columns={columns}
        {...rowsOf(list)}
        {...(list.isPlaceholderData && list.data?.pages[0]?.items.length === 0 && { rows: undefined })}
        empty={
          text === '' ? (
            <EmptyState icon={IconUsersGroup} title="No person yet">
              A person is listed here from the moment the definition holds for them.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="No person found">
              No member’s id or name begins with “{shortened(text)}”.
            </EmptyState>
          )
        }
      />
      <Text c="dimmed" mt="sm" role="status">
        {more}
      </Text>
    </>
  );
}

interface ExportProps {
  readonly kind: DefinitionKind;
  readonly id: string;
  /** True while all persons are being evaluated: a file would be incomplete. */
  readonly isComputing: boolean;
}

function Export({ kind, id, isComputing }: ExportProps): ReactElement {
  const queryClient = useQueryClient();
  /** If a download is refused, the browser shows no error. So an ended session is renewed before the download. */
  const take = (event: MouseEvent<HTMLAnchorElement>): void => {
    event.preventDefault();
    const { href } = event.currentTarget;
    const session = queryClient.fetchQuery({ ...sessionApi.current(), staleTime: 0 });
    session
      .then(() => Object.assign(document.createElement('a'), { href, download: '' }).click())
      .catch(notifyFailed('The file was not exported'));
  };
  return (
    <Menu withinPortal={false} position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={isComputing}
          title={isComputing ? 'When it is computed' : undefined}
        >
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={kind.api.memberFile(id, 'csv')} download onClick={take}>
          CSV, for spreadsheets
        </Menu.Item>
        <Menu.Item component="a" href={kind.api.memberFile(id, 'ndjson')} download onClick={take}>
          NDJSON, one object a line
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Ids({ ids, ...member }: ListedMember): ReactElement {
  const others = ids.filter((id) => id !== member.id);
  return (
    <>
      <PersonLink {...member} />
      {others.length > 0 && (
        <Text variant="aside">
          {others.slice(0, 2).map(shortened).join(' · ')}
          {others.length > 2 && ' …'}
        </Text>
      )}
    </>
  );
}

function Names({ names }: Pick<ListedMember, 'names'>): ReactElement {
  const { email, name, firstName, lastName, username, phone } = names;
  const whole = [firstName, lastName].filter(isText).join(' ');
  const said = [...new Set([name ?? whole, email, username, phone].filter(isText))];
  if (said.length === 0) return <>–</>;
  return (
    <>
      {said.slice(0, 2).map((text, i) => (
        <Text key={text} size={i === 0 ? 'sm' : 'xs'} {...(i > 0 && { c: 'dimmed' })}>
          {shortened(text)}
        </Text>
      ))}
    </>
  );
}

function joined({ joinedAt }: ListedMember): ReactElement {
  return <Time at={joinedAt} minutes otherwise="before this was kept" />;
}
