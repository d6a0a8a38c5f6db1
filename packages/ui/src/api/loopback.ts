import type { Loopback } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { asked, change } from './query.ts';

const LOOPBACK = ['loopback'];

export const loopbackApi = {
  get: () => ({ ...asked<Loopback>('/api/loopback'), staleTime: 30_000 }),
  allow: () => change<void, Loopback>(() => call<Loopback>('POST', '/api/loopback/allow'), LOOPBACK, ['destinations']),
};
