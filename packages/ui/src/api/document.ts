import { asked } from './query.ts';

export const documentApi = {
  /** The OpenAPI document of both APIs. Each page declares the part that it reads as `T`. */
  openapi: <T>() => ({ ...asked<T>('/api/openapi.json'), staleTime: Number.POSITIVE_INFINITY }),
};
