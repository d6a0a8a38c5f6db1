import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { sourcesApi } from '../api/sources.ts';

/** The name of a source; its id while the name is not loaded, or if the source is deleted. */
export function SourceName({ id }: { readonly id: string }): ReactElement {
  const { data } = useQuery(sourcesApi.list());
  if (!data) return <>{id}</>;
  return <>{data.find((source) => source.id === id)?.name ?? `${id} (deleted)`}</>;
}
