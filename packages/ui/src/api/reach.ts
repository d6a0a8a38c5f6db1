import type { QueryClient } from '@tanstack/react-query';
import { noteTime, serviceNow } from './service-clock.ts';

/** Whether the service answers, as far as the page has asked it. */

/** From one try to the next while it does not, milliseconds. */
const AGAIN_MS = 3_000;

/** What a proxy answers in the place of a service that it can't reach. */
const OF_A_PROXY: readonly number[] = [502, 503, 504];

let lostAt: number | null = null;
let timer = 0;
const listeners = new Set<() => void>();

/** Since when it does not answer, milliseconds since the epoch; null while it does. */
export function unreachableSince(): number | null {
  return lostAt;
}

/** Is told when that changes. */
export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Takes note of how a request ended; null when it met no answer. */
export function noteAnswer(response: Response | null): void {
  if (response !== null) noteTime(response);
  const isOurs = response?.headers.get('content-type')?.includes('json') === true;
  const isReached = response !== null && (isOurs || !OF_A_PROXY.includes(response.status));
  if (isReached === (lostAt === null)) return;
  lostAt = isReached ? null : serviceNow();
  if (!isReached) lookLater();
  for (const tell of listeners) tell();
}

/** Asks for everything that is shown as soon as the service answers again. To be called once. */
export function followReach(client: QueryClient): void {
  onReach(() => {
    if (lostAt === null) void client.invalidateQueries();
  });
  // A page that asks nothing now learns of it too.
  window.addEventListener('offline', () => void look());
}

function lookLater(): void {
  clearTimeout(timer);
  timer = window.setTimeout(look, AGAIN_MS);
}

/** Asks what is cheap to answer. */
export async function look(): Promise<void> {
  const request = fetch('/api/session', { credentials: 'same-origin' });
  noteAnswer(await request.catch(() => null));
  if (lostAt !== null) lookLater();
}
