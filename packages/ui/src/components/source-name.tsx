import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { sourcesApi } from '../api/sources.ts';

/** A source by its name; by its id while that is not known, and when it is deleted. */
export function SourceName({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(sourcesApi.list());
  if (!data) return <>{id}</>;
  return <>{data.find((source) => source.id === id)?.name ?? `${id} (deleted)`}</>;
}
