import { Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { AnchorLink } from '../components/anchor-link.tsx';
import { type Column, DataTable, type DataTableProps } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { count } from '../format/number.ts';
import { DefinitionState } from './definition-state.tsx';
import type { Defined, ShownKind } from './kinds.ts';

interface DefinitionsTableProps<Thing extends Defined>
  extends Omit<DataTableProps<Thing>, 'label' | 'columns' | 'rowKey'> {
  readonly kind: ShownKind<Thing>;
}

/** Audiences or computed traits, each with what it says. */
export function DefinitionsTable<Thing extends Defined>(props: DefinitionsTableProps<Thing>): ReactElement {
  const { kind, ...states } = props;
  const { one, sizeOf, Sentence } = kind;
  const columns: readonly Column<Thing>[] = [
    {
      header: 'Name',
      width: '42%',
      cell: (thing) => (
        <>
          <AnchorLink to={one} params={{ id: thing.id }} fw={500}>
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
    { header: sizeOf, align: 'end', cell: ({ size }) => count(size) },
    { header: 'Destinations', align: 'end', cell: ({ destinationIds }) => count(destinationIds.length) },
    { header: 'Last sent', cell: ({ sentAt }) => <Time at={sentAt} otherwise="never" /> },
  ];
  return <DataTable label={kind.plural} columns={columns} rowKey={({ id }) => id} {...states} />;
}
