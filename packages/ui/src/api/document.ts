import { queryOptions } from '@tanstack/react-query';
import { get } from './client.ts';

export const documentApi = {
  /** The OpenAPI document of both APIs; each page says what of it is read. */
  openapi: <T>() =>
    queryOptions({
      queryKey: ['openapi'],
      queryFn: ({ signal }) => get<T>('/api/openapi.json', {}, signal),
      staleTime: Number.POSITIVE_INFINITY,
    }),
};
