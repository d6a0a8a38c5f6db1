import { IconPlus, IconSearch, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { statsApi } from '../../api/stats.ts';
import { ButtonLink } from '../../components/button-link.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { FindField } from '../../components/find-field.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useMayChange } from '../../shell/session.ts';
import { DestinationsTable } from './destinations-table.tsx';

const route = getRouteApi('/shell/destinations');

/** All destinations, live. Those that need attention come first. */
export function DestinationsPage(): ReactElement {
  const { text = '' } = route.useSearch();
  const mayChange = useMayChange();
  const { data, error, refetch } = useQuery(statsApi.overview());
  const wanted = text.trim().toLowerCase();
  const shown = data?.destinations.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isNew = data?.destinations.length === 0;
  const create = mayChange && (
    <ButtonLink to="/catalog" leftSection={<IconPlus size={16} aria-hidden />}>
      New destination
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Destinations"
        description="Where events are delivered, and how it is going. What needs attention comes first."
        actions={!isNew && create}
      />
      {!isNew && (
        <FindField
          of="Destinations"
          mb="md"
          maw={320}
          aria-label="Filter destinations by name"
          placeholder="Filter by name"
        />
      )}
      <DestinationsTable
        rows={shown}
        error={error}
        onRetry={() => void refetch()}
        empty={
          isNew ? (
            <EmptyState icon={IconSend} title="No destination yet" action={create}>
              A destination gets every call of the sources you connect to it, signed, at up to five URLs.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="No destination has this name">
              None of {data?.destinations.length} destinations has “{text}” in its name.
            </EmptyState>
          )
        }
      />
    </>
  );
}
