import { Button, Card, Center, Skeleton, Table } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { InfiniteData, UseInfiniteQueryResult, UseQueryResult } from '@tanstack/react-query';
import { type ComponentProps, lazy, type ReactElement, type ReactNode, Suspense } from 'react';
import type { Page } from '../../../server/src/admin/contract.ts';
import classes from './data-table.module.css';
import { ErrorState } from './error-state.tsx';
import { Section } from './section.tsx';
import type { RowPlace } from './virtual-rows.tsx';

/** Of a longer table only visible rows are rendered: thousands would stop the page. Column widths then do not depend on the content. */
const MOST_ROWS = 200;
/** A table of more columns needs a wider screen: beside the navigation it would break names and cut columns off. */
const FEW_COLUMNS = 3;
/** Number of placeholder rows while the list loads. */
const LOADING_ROWS = 4;

const VirtualRows = lazy(async () => ({ default: (await import('./virtual-rows.tsx')).VirtualRows }));

export interface Column<Row> {
  readonly header: string;
  readonly cell: (row: Row) => ReactNode;
  /** `end` for numbers, so that their digits line up. Default `start`. */
  readonly align?: 'start' | 'end';
  /** CSS width. Default: the browser decides. */
  readonly width?: string;
}

export interface DataTableProps<Row> {
  /** Name of the list, for screen readers. */
  readonly label: string;
  /** `false` leaves out a column that only some users may see. */
  readonly columns: readonly (Column<Row> | false)[];
  /** Undefined while they load. */
  readonly rows: readonly Row[] | undefined;
  /** Default: its `id`, or its `position` in the log. */
  readonly rowKey?: (row: Row) => string;
  /** Shown in place of the rows, or above the rows that were already loaded. */
  readonly error?: unknown;
  readonly onRetry?: () => void;
  /** Shown in place of an empty list: an `EmptyState`. */
  readonly empty?: ReactNode;
  /** Makes the whole row open the link of its first cell. */
  readonly linked?: boolean;
  /** Loading more rows failed: the error stands below the loaded rows. */
  readonly failedBelow?: boolean;
  /** Loads more rows; absent if there are none. */
  readonly onMore?: (() => void) | undefined;
  readonly loadingMore?: boolean;
}

/** A list in a card. Where the screen is too narrow for its columns, each row becomes a block, with the column headers beside the values. */
export function DataTable<Row>(props: DataTableProps<Row>): ReactElement {
  const { label, rows, rowKey = ownKey, error, onRetry, empty, onMore, loadingMore = false } = props;
  const { linked = false, failedBelow = false } = props;
  const columns = props.columns.filter((column) => column !== false);
  const widest = columns.length > FEW_COLUMNS ? 67.99 : 47.99;
  const isNarrow = useMediaQuery(`(max-width: ${widest}em)`, false, { getInitialValueInEffect: false });
  const failed = error !== undefined && error !== null;
  const isLong = rows !== undefined && rows.length > MOST_ROWS;
  const keyOf = (i: number): string => (rows?.[i] === undefined ? String(i) : rowKey(rows[i]));
  const renderRow = (i: number, place?: RowPlace): ReactElement => (
    <Table.Tr key={keyOf(i)} {...place}>
      {columns.map(({ header, cell, align = 'start' }, column) => (
        <Table.Td key={header} ta={align} data-header={header} data-align={align}>
          {rows?.[i] === undefined ? (
            <Skeleton display="inline-block" height={14} width={column === 0 ? '70%' : '50%'} my={4} />
          ) : (
            <div>{cell(rows[i])}</div>
          )}
        </Table.Td>
      ))}
    </Table.Tr>
  );
  if (rows?.length === 0 && !failed && !onMore) return <>{empty}</>;
  return (
    <Card padding={0} aria-busy={rows === undefined && !failed}>
      {failed && !failedBelow && <Failure error={error} onRetry={onRetry} />}
      {(rows || !failed) && (
        <Table
          className={classes['table'] ?? ''}
          aria-label={label}
          aria-rowcount={isLong ? rowCount(rows.length, onMore) : undefined}
          data-linked={linked}
          data-long={isLong}
          data-blocks={isNarrow || undefined}
          layout={isLong ? 'fixed' : 'auto'}
          highlightOnHover={rows !== undefined}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ header, align = 'start', width }) => (
                <Table.Th key={header} scope="col" ta={align} w={width}>
                  {header}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {isLong ? (
              <Suspense fallback={rows.slice(0, MOST_ROWS).map((_, i) => renderRow(i))}>
                <VirtualRows count={rows.length} columns={columns.length} keyOf={keyOf} renderRow={renderRow} />
              </Suspense>
            ) : (
              Array.from({ length: rows?.length ?? LOADING_ROWS }, (_, i) => renderRow(i))
            )}
          </Table.Tbody>
        </Table>
      )}
      {failed && failedBelow && <Failure error={error} onRetry={onRetry} />}
      {onMore && !failed && (
        <Center p="sm">
          <Button variant="default" size="xs" loading={loadingMore} onClick={onMore}>
            Show more
          </Button>
        </Center>
      )}
    </Card>
  );
}

/** A list with a heading that names it. */
export function TableSection<Row>({ id, order, ...table }: DataTableProps<Row> & TitleOf): ReactElement {
  return (
    <Section id={id} title={table.label} {...(order && { order })}>
      <DataTable {...table} />
    </Section>
  );
}

type TitleOf = Pick<ComponentProps<typeof Section>, 'id' | 'order'>;

/** The row count for screen readers; unknown while more rows can be loaded. */
function rowCount(rows: number, onMore: unknown): number {
  return onMore ? -1 : rows + 1;
}

function Failure(props: { readonly error: unknown; readonly onRetry: (() => void) | undefined }): ReactElement {
  return (
    <Card.Section p="md">
      <ErrorState {...props} />
    </Card.Section>
  );
}

function ownKey(row: unknown): string {
  const { id, position } = row as { readonly id?: string; readonly position?: number };
  return id ?? String(position);
}

type Asked<Row> = Pick<DataTableProps<Row>, 'rows' | 'failedBelow' | 'onMore' | 'loadingMore'> &
  Required<Pick<DataTableProps<Row>, 'onRetry'>> & { readonly error: Error | null };

/** Props of a DataTable for a list that is read page by page, or whole: `<DataTable {...rowsOf(list)} …>`. */
export function rowsOf<Row>(
  list: UseInfiniteQueryResult<InfiniteData<Page<Row>>> | UseQueryResult<readonly Row[]>,
): Asked<Row> {
  if (!('fetchNextPage' in list)) return { rows: list.data, error: list.error, onRetry: () => void list.refetch() };
  return {
    rows: list.data?.pages.flatMap(({ items }) => items),
    error: list.error,
    failedBelow: list.isFetchNextPageError,
    onRetry: () => void (list.isFetchNextPageError ? list.fetchNextPage() : list.refetch()),
    onMore: list.hasNextPage ? () => void list.fetchNextPage() : undefined,
    loadingMore: list.isFetchingNextPage,
  };
}
