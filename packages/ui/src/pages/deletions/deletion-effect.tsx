import { Alert, List, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { Destination, Source } from '../../../../server/src/admin/contract.ts';
import { destinationsApi } from '../../api/destinations.ts';
import { sourcesApi } from '../../api/sources.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Names } from '../../components/names.tsx';
import { many } from '../../format/number.ts';
import { SectionCard } from '../../forms/section-card.tsx';

/** What a deletion will do, point by point, with the current destinations. */
export function DeletionEffect({ suppresses }: { readonly suppresses: boolean }): ReactElement {
  return (
    <SectionCard title="What will happen">
      <List type="ordered" size="sm" spacing="xs">
        <List.Item>
          <b>Everything about them is removed,</b> from all sources: what was accepted until now, under every id of the
          same person, with bodies, failed messages and what endpoints answered. What still waits is not sent any more.
          Their profile goes as well: ids, traits, groups, memberships of audiences. Nothing reads any of it from then
          on; the bytes leave the files with the next compaction, once a day or when you ask for it.
        </List.Item>
        <List.Item>
          <b>Destinations are told.</b> Each source that has seen a user sends one message, type <code>delete</code>, to
          its destinations that are on. It is retried for as long as it takes; only a refusal for good ends it.
        </List.Item>
        {suppresses && (
          <List.Item>
            <b>Later calls are refused</b> with <code>user_suppressed</code>, from the moment that you confirm.
          </List.Item>
        )}
        <List.Item>
          <b>Evidence is kept:</b> the user ids, how many events were removed where, and a receipt of every request.
          Delete the finished request to remove these too.
        </List.Item>
      </List>
      <Told />
    </SectionCard>
  );
}

function Told(): ReactElement {
  const sources = useQuery(sourcesApi.list());
  const destinations = useQuery(destinationsApi.list());
  const error = sources.error ?? destinations.error;
  if (error) {
    return <ErrorState error={error} onRetry={() => void Promise.all([sources.refetch(), destinations.refetch()])} />;
  }
  if (!sources.data || !destinations.data) return <Skeleton height={120} />;
  const connected = destinations.data.filter(({ sourceIds }) => sourceIds.length > 0);
  const on = connected.filter(({ enabled }) => enabled);
  if (on.length === 0) {
    return (
      <Alert color="yellow" title="No destination is on: no delete message is sent">
        Events are removed here all the same. Switch on the destinations that must get a delete message before you go
        on: none is sent afterwards.
      </Alert>
    );
  }
  return (
    <>
      <Text mb="xs">
        {onInWords(on)} on now{connected.length > on.length && `, ${connected.length - on.length} off`}:
      </Text>
      <ToldTable sources={sources.data} destinations={connected} />
    </>
  );
}

function onInWords(on: readonly Destination[]): string {
  const sources = new Set(on.flatMap(({ sourceIds }) => sourceIds)).size;
  return `${many(on.length, 'destination')} of ${many(sources, 'source')} ${on.length === 1 ? 'is' : 'are'}`;
}

interface ToldTableProps {
  readonly sources: readonly Source[];
  readonly destinations: readonly Destination[];
}

/** The destinations that a deletion would be sent to, by source. */
function ToldTable({ sources, destinations }: ToldTableProps): ReactElement {
  const of = (id: string, enabled: boolean): string[] =>
    destinations.filter((each) => each.enabled === enabled && each.sourceIds.includes(id)).map(({ name }) => name);
  const columns: readonly Column<Source>[] = [
    { header: 'Source', width: '34%', cell: ({ name }) => name },
    {
      header: 'Told',
      cell: ({ id }) => (
        <>
          {of(id, true).length > 0 ? <Names of={of(id, true)} /> : <Text>none</Text>}
          {of(id, false).length > 0 && (
            <Text variant="aside">
              Off, not told: <Names of={of(id, false)} />
            </Text>
          )}
        </>
      ),
    },
  ];
  return (
    <DataTable
      label="Destinations of each source"
      columns={columns}
      rows={sources.filter(({ id }) => destinations.some(({ sourceIds }) => sourceIds.includes(id)))}
    />
  );
}
