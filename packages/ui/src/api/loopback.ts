import { queryOptions } from '@tanstack/react-query';
import type { Loopback } from '../../../server/src/admin/contract.ts';
import { call, get } from './client.ts';
import { change } from './query.ts';

const LOOPBACK = ['loopback'];

export const loopbackApi = {
  get: () =>
    queryOptions({
      queryKey: LOOPBACK,
      queryFn: ({ signal }) => get<Loopback>('/api/loopback', {}, signal),
      staleTime: 30_000,
    }),
  allow: () => change<void, Loopback>(() => call<Loopback>('POST', '/api/loopback/allow'), LOOPBACK, ['destinations']),
};
