import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { destinationsApi } from '../../api/destinations.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { CatalogCard } from './catalog-card.tsx';

/** The kinds of destination there are. */
export function CatalogPage(): ReactElement {
  const { data: items, error, refetch } = useQuery(destinationsApi.catalog());
  const { data: destinations } = useQuery(destinationsApi.list());
  return (
    <>
      <PageHeader title="Catalog" description="Where events can go. Choose one to set it up, step by step." />
      {error && !items && <ErrorState error={error} onRetry={() => void refetch()} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} spacing="md" aria-busy={!items && !error}>
        {!items && !error && <Skeleton height={260} />}
        {items?.map((item) => (
          <CatalogCard
            key={item.name}
            item={item}
            made={destinations?.filter(({ type }) => type === item.name).length}
          />
        ))}
      </SimpleGrid>
    </>
  );
}
