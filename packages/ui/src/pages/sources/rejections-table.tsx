import { Code, Stack, Text } from '@mantine/core';
import { IconShieldCheck } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { type ReactElement, useEffect } from 'react';
import type { RejectionGroup } from '../../../../server/src/admin/contract.ts';
import { sourcesApi } from '../../api/sources.ts';
import { type Column, rowsOf, TableSection } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { SourceName } from '../../components/source-name.tsx';
import { ThingLink } from '../../components/thing-link.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format/number.ts';

const WHAT: Column<RejectionGroup> = {
  header: 'What was refused, and why',
  cell: ({ code, message, example }) => (
    <Stack gap={6}>
      <div>
        <Text fw={500}>{message}</Text>
        <Text variant="aside">
          <code>{code}</code>
        </Text>
      </div>
      {example !== '' && (
        <Code block fw={400} mah={120} tabIndex={0} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {example}
        </Code>
      )}
    </Stack>
  ),
};

const SOURCE: Column<RejectionGroup> = { header: 'Source', width: '22%', cell: (group) => <Sender group={group} /> };

const HOW_OFTEN: readonly Column<RejectionGroup>[] = [
  { header: 'Calls', align: 'end', width: '90px', cell: ({ count: calls }) => count(calls) },
  { header: 'First', width: '130px', cell: ({ firstAt }) => <Time at={firstAt} /> },
  { header: 'Last', width: '130px', cell: ({ lastAt }) => <Time at={lastAt} /> },
];

function Sender({ group: { sourceId, key, address, userAgent } }: { readonly group: RejectionGroup }): ReactElement {
  if (sourceId !== null) return <ThingLink kind="source" id={sourceId} name={<SourceName id={sourceId} />} />;
  return (
    <>
      <Text>{key === '' ? 'No write key' : <>Unknown key {key}</>}</Text>
      <Text variant="aside">from {address}</Text>
      <Text variant="aside">{userAgent === '' ? 'no user agent' : userAgent}</Text>
    </>
  );
}

/**
 * Calls that the collection API refused: of one source, or of all sources and unknown keys. Similar calls share a row. Live.
 * If the address names it (`#rejections`), it is scrolled into view once it has its rows.
 */
export function RejectionsTable({ sourceId }: { readonly sourceId?: string }): ReactElement {
  const list = useInfiniteQuery(sourcesApi.rejections(sourceId));
  const isAsked = useLocation().hash === 'rejections' && list.data !== undefined;
  useEffect(() => {
    if (isAsked) document.getElementById('rejections')?.scrollIntoView();
  }, [isAsked]);
  return (
    <TableSection
      id="rejections"
      label="Rejected calls"
      columns={sourceId === undefined ? [WHAT, SOURCE, ...HOW_OFTEN] : [WHAT, ...HOW_OFTEN]}
      {...rowsOf(list)}
      rowKey={(group) => [group.sourceId, group.code, group.key, group.address, group.message].join(' ')}
      empty={
        <EmptyState icon={IconShieldCheck} title="Nothing was rejected">
          Calls that break a rule are listed here by code, reason and example. Each line says how many there were, and
          when the first and the last came. They stay as long as events do.
        </EmptyState>
      }
    />
  );
}
