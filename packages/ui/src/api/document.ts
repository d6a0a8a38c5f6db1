import { asked } from './query.ts';

export const documentApi = {
  /** The OpenAPI document of both APIs; each page says what of it is read. */
  openapi: <T>() => ({ ...asked<T>('/api/openapi.json'), staleTime: Number.POSITIVE_INFINITY }),
};
