import { Button, Code, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { AnchorLink } from '../components/anchor-link.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { pagedRows } from '../components/paged-rows.ts';
import { Time } from '../components/time.tsx';
import { count } from '../format/number.ts';
import { useMayChange } from '../shell/session.ts';
import { DefinitionFrame } from './definition-frame.tsx';
import { DefinitionOverview } from './definition-overview.tsx';
import { DefinitionState } from './definition-state.tsx';
import type { Defined, ShownKind } from './kinds.ts';
import { MembersTable } from './members-table.tsx';
import { SentMessages } from './sent-messages.tsx';

type Page = () => ReactElement;

export type DefinitionPages = Readonly<Record<'List' | 'One' | 'Overview' | 'Members' | 'Sent', Page>>;

/** The pages that show audiences or computed traits, live. */
export function definitionPages<Thing extends Defined>(kind: ShownKind<Thing>): DefinitionPages {
  const { api, Sentence } = kind;

  const columns: readonly Column<Thing>[] = [
    {
      header: 'Name',
      width: '42%',
      cell: (thing) => (
        <>
          <AnchorLink to={kind.one} params={{ id: thing.id }} fw={500}>
            {thing.name}
          </AnchorLink>
          <Text variant="aside" lineClamp={3}>
            <Sentence of={thing} inline />
          </Text>
        </>
      ),
    },
    { header: 'Key', cell: ({ key }) => <Code>{key}</Code> },
    { header: 'State', cell: (thing) => <DefinitionState {...thing} /> },
    { header: kind.sizeOf, align: 'end', cell: ({ size }) => count(size) },
    { header: 'Destinations', align: 'end', cell: ({ destinationIds }) => count(destinationIds.length) },
    { header: 'Last sent', cell: ({ sentAt }) => <Time at={sentAt} otherwise="never" /> },
  ];

  /** The parts of the page of one, once it is there. */
  function part(show: (of: Thing) => ReactElement): Page {
    return () => {
      const { id = '' } = useParams({ strict: false });
      return show(useSuspenseQuery(api.one(id)).data);
    };
  }

  function List(): ReactElement {
    const mayChange = useMayChange();
    const list = useInfiniteQuery(api.list());
    const isNew = list.data?.pages[0]?.items.length === 0;
    const create = mayChange && (
      <Button component={Link} to={kind.new} leftSection={<IconPlus size={16} aria-hidden />}>
        New {kind.noun}
      </Button>
    );
    return (
      <>
        <PageHeader title={kind.plural} description={kind.about} actions={!isNew && create} />
        <DataTable
          label={kind.plural}
          columns={columns}
          {...pagedRows(list)}
          rowKey={({ id }) => id}
          empty={
            <EmptyState icon={kind.icon} title={`No ${kind.noun} yet`} action={create}>
              {kind.example}
            </EmptyState>
          }
        />
      </>
    );
  }

  return {
    List,
    One: () => <DefinitionFrame kind={kind} />,
    Overview: part((of) => (
      <DefinitionOverview kind={kind} of={of}>
        <Sentence of={of} />
      </DefinitionOverview>
    )),
    Members: part((of) => <MembersTable kind={kind} of={of} />),
    Sent: part((of) => <SentMessages of={of} />),
  };
}
