import { Button, Code } from '@mantine/core';
import { IconMathFunction, IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import type { ComputedTrait, TraitDefinition } from '../../../../server/src/admin/contract.ts';
import { traitsApi } from '../../api/traits.ts';
import { AnchorLink } from '../../components/anchor-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { pagedRows } from '../../components/paged-rows.ts';
import { TraitSentence } from '../../conditions/trait-sentence.tsx';
import { DefinitionsTable } from '../../definitions/definitions-table.tsx';
import { useMayChange } from '../../shell/session.ts';

const EXAMPLE: TraitDefinition = {
  compute: { sum: 'total' },
  event: { name: 'Order Completed' },
  during: { lastDays: 90 },
};

/** All computed traits, live. */
export function TraitsPage(): ReactElement {
  const mayChange = useMayChange();
  const list = useInfiniteQuery(traitsApi.list());
  const isNew = list.data?.pages[0]?.items.length === 0;
  const create = mayChange && (
    <Button component={Link} to="/traits/new" leftSection={<IconPlus size={16} aria-hidden />}>
      New computed trait
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Computed traits"
        description="Values computed from each person’s events, kept up to date and sent to destinations when they change."
        actions={!isNew && create}
      />
      <DefinitionsTable
        label="Computed traits"
        sizeOf="With a value"
        link={nameOf}
        sentence={sentenceOf}
        {...pagedRows(list)}
        empty={
          <EmptyState icon={IconMathFunction} title="No computed trait yet" action={create}>
            For example, “ <TraitSentence definition={EXAMPLE} /> ”. Each person’s value is sent to its destinations as{' '}
            <Code>{'{"revenue_90days": 420}'}</Code>, and again when it changes.
          </EmptyState>
        }
      />
    </>
  );
}

function nameOf({ id, name }: ComputedTrait): ReactElement {
  return (
    <AnchorLink to="/traits/$traitId" params={{ traitId: id }} size="sm" fw={500}>
      {name}
    </AnchorLink>
  );
}

function sentenceOf({ definition }: ComputedTrait): ReactElement {
  return <TraitSentence definition={definition} />;
}
