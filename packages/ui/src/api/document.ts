import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';

export const documentApi = {
  /** The OpenAPI document of both APIs. */
  openapi: () =>
    queryOptions({
      queryKey: ['openapi'],
      queryFn: ({ signal }) => get<Record<string, unknown>>('/api/openapi.json', {}, signal),
      staleTime: Number.POSITIVE_INFINITY,
    }),
};
