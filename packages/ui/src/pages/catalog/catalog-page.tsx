import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { CatalogCard } from './catalog-card.tsx';

/** The kinds of destination there are. */
export function CatalogPage(): ReactElement {
  const catalog = useQuery(destinationsApi.catalog());
  const destinations = useQuery(destinationsApi.list());
  const items = catalog.data;
  const failed = [catalog, destinations].find(({ error, data }) => error && !data);
  return (
    <>
      <PageHeader title="Catalog" description="Where events can go. Choose one to set it up, step by step." />
      {failed?.error && <ErrorState error={failed.error} onRetry={() => void failed.refetch()} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md" aria-busy={catalog.isPending}>
        {catalog.isPending && <Skeleton height={260} />}
        {items?.map((item) => (
          <CatalogCard
            key={item.name}
            item={item}
            made={destinations.data?.filter(({ type }) => type === item.name).length}
          />
        ))}
      </SimpleGrid>
    </>
  );
}
