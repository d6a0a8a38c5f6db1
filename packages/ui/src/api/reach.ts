import type { QueryClient } from '@tanstack/react-query';
import { noteTime, serviceNow } from './service-clock.ts';

/** Whether the service answers, judged by the requests of this page. */

/** Milliseconds between two attempts while the service does not answer. */
const AGAIN_MS = 3_000;

/** Statuses that a proxy sends when it can't reach the service. */
const OF_A_PROXY: readonly number[] = [502, 503, 504];

let lostAt: number | null = null;
let timer = 0;
const listeners = new Set<() => void>();

/** When the service stopped answering, in milliseconds since the epoch; null while it answers. */
export function unreachableSince(): number | null {
  return lostAt;
}

/** Calls the listener when this changes. */
export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Records how a request ended; null if no answer came. */
export function noteAnswer(response: Response | null): void {
  if (response !== null) noteTime(response);
  const isOurs = response?.headers.get('content-type')?.includes('json') === true;
  const isReached = response !== null && (isOurs || !OF_A_PROXY.includes(response.status));
  if (isReached === (lostAt === null)) return;
  lostAt = isReached ? null : serviceNow();
  if (!isReached) lookLater();
  for (const tell of listeners) tell();
}

/** Runs all shown queries again as soon as the service answers again. Call it once. */
export function followReach(client: QueryClient): void {
  onReach(() => {
    if (lostAt === null) void client.invalidateQueries();
  });
  // A page that sends no requests at the moment notices it too.
  window.addEventListener('offline', () => void look());
}

function lookLater(): void {
  clearTimeout(timer);
  timer = window.setTimeout(look, AGAIN_MS);
}

/** Sends a request that is cheap to answer. */
export async function look(): Promise<void> {
  const request = fetch('/api/session', { credentials: 'same-origin' });
  noteAnswer(await request.catch(() => null));
  if (lostAt !== null) lookLater();
}
