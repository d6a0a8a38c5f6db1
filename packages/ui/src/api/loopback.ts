import type { Loopback } from '../../../server/src/admin/contract.ts';
import { call } from './client.ts';
import { change, watched } from './query.ts';

export const loopbackApi = {
  get: () => ({ ...watched<Loopback>('/api/loopback'), staleTime: 30_000 }),
  allow: () => change<void, Loopback>(() => call('POST', '/api/loopback/allow')),
};

/** Whether a URL leads to this machine. It may be incomplete, still being typed. */
export function leadsHere(url: string): boolean {
  return /^https?:\/\/(localhost|127\.|\[::1\])/i.test(url);
}
