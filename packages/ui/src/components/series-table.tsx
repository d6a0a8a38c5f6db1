import { Table } from '@mantine/core';
import type { ReactElement } from 'react';
import type { ChartData } from './chart-data.ts';
import { Time } from './time.tsx';

interface SeriesTableProps {
  readonly title: string;
  readonly data: ChartData;
  readonly format: (value: number) => string;
}

/** The numbers of a chart as a table, newest first, without empty buckets. */
export function SeriesTable({ title, data, format }: SeriesTableProps): ReactElement {
  const rows = data.at
    .map((at, i) => ({ at, values: data.series.map(({ values }) => values[i] ?? null) }))
    .filter(({ values }) => values.some((value) => value !== null && value !== 0))
    .reverse();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach an area that scrolls.
    <section tabIndex={0} aria-label={`${title}, as a table`} style={{ maxHeight: 360, overflow: 'auto' }}>
      <Table stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">From</Table.Th>
            {data.series.map(({ name }) => (
              <Table.Th key={name} scope="col" ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ at, values }) => (
            <Table.Tr key={at}>
              <Table.Td>
                <Time at={at} absolute />
              </Table.Td>
              {values.map((value, i) => (
                <Table.Td key={data.series[i]?.name} ta="end">
                  {value === null ? '–' : format(value)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  );
}
