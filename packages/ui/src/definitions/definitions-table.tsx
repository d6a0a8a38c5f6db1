import { Code, Text } from '@mantine/core';
import { type ReactElement, type ReactNode, useMemo } from 'react';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Time } from '../components/time.tsx';
import { count } from '../format/number.ts';
import { DefinitionState } from './definition-state.tsx';
import type { Defined } from './kinds.ts';

interface DefinitionsTableProps<Thing> {
  readonly label: string;
  /** Whom the size counts, as a column's head: `Members`. */
  readonly sizeOf: string;
  readonly link: (thing: Thing) => ReactNode;
  readonly sentence: (thing: Thing) => ReactNode;
  readonly rows: readonly Thing[] | undefined;
  readonly empty: ReactNode;
  readonly error: unknown;
  readonly onRetry: () => void;
  readonly onMore: (() => void) | undefined;
  readonly loadingMore: boolean;
}

/** Audiences or computed traits, each with what it says. */
export function DefinitionsTable<Thing extends Defined>(props: DefinitionsTableProps<Thing>): ReactElement {
  const { label, sizeOf, link, sentence, ...states } = props;
  const columns = useMemo(
    (): Column<Thing>[] => [
      {
        header: 'Name',
        width: '42%',
        cell: (thing) => (
          <>
            {link(thing)}
            <Text size="xs" c="dimmed" lineClamp={3}>
              {sentence(thing)}
            </Text>
          </>
        ),
      },
      { header: 'Key', cell: ({ key }) => <Code>{key}</Code> },
      { header: 'State', cell: (thing) => <DefinitionState {...thing} /> },
      { header: sizeOf, align: 'end', cell: ({ size }) => count(size) },
      { header: 'Destinations', align: 'end', cell: ({ destinationIds }) => count(destinationIds.length) },
      { header: 'Last sent', cell: ({ sentAt }) => <Time at={sentAt} otherwise="never" /> },
    ],
    [link, sentence, sizeOf],
  );
  return <DataTable label={label} columns={columns} rowKey={({ id }) => id} {...states} />;
}
