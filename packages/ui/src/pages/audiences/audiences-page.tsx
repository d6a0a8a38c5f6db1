import { Button, Code } from '@mantine/core';
import { IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { Audience, Condition } from '../../../../server/src/admin/contract.ts';
import { audiencesApi } from '../../api/audiences.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { DefinitionSentence } from '../../conditions/definition-sentence.tsx';
import { DefinitionsTable } from '../../definitions/definitions-table.tsx';
import { useMayChange } from '../../shell/session.ts';

const EXAMPLE: Condition = {
  event: { name: 'Order Completed', where: [{ property: 'total', is: { greater: 100 } }] },
  count: { atLeast: 2 },
  during: { lastDays: 30 },
};

/** All audiences, live. */
export function AudiencesPage(): ReactElement {
  const mayChange = useMayChange();
  const list = useInfiniteQuery(audiencesApi.list());
  const isNew = list.data?.pages[0]?.items.length === 0;
  const create = mayChange && (
    <Button component={Link} to="/audiences/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New audience
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Audiences"
        description="Persons for whom a condition holds now. Destinations get each change."
        actions={!isNew && create}
      />
      <DefinitionsTable
        label="Audiences"
        sizeOf="Members"
        link={nameOf}
        sentence={sentenceOf}
        {...pagedRows(list)}
        empty={
          <EmptyState icon={IconUsersGroup} title="No audience yet" action={create}>
            For example, all persons who “<DefinitionSentence condition={EXAMPLE} inline /> ”. When a person enters, the
            destinations get <Code>true</Code>; when a person leaves, they get <Code>false</Code>. Both go out within a
            second.
          </EmptyState>
        }
      />
    </>
  );
}

function nameOf({ id, name }: Audience): ReactElement {
  return (
    <AnchorLink to="/audiences/$audienceId" params={{ audienceId: id }} size="sm" fw={500}>
      {name}
    </AnchorLink>
  );
}

function sentenceOf({ definition }: Audience): ReactElement {
  return <DefinitionSentence condition={definition} inline />;
}
