import type { QueryClient } from '@tanstack/react-query';
import { noteTime, serviceNow } from './service-clock.ts';

/** Whether the service answers, judged by the requests of this page. */

/** Milliseconds between two attempts while the service does not answer. */
const AGAIN_MS = 3_000;

/** Longest wait for the answer to a request that is cheap to answer, in milliseconds. */
const LOOK_MS = 5_000;

/** A header of requests that are no use of the session. */
export const WATCHING = 'x-millrace-watching';

/** Statuses that a proxy sends when it can't reach the service. */
export const OF_A_PROXY: readonly number[] = [502, 503, 504];

let lostAt: number | null = null;
/** When the service last gave a sign of life, in milliseconds of `performance.now()`. */
let aliveAt = 0;
let timer = 0;
const listeners = new Set<() => void>();
let waiting = new AbortController();

/** Aborts when the service does not answer: a request that has no answer until then would wait for ever. */
export function untilUnreachable(): AbortSignal {
  return waiting.signal;
}

/** When the service stopped answering, in milliseconds since the epoch; null while it answers. */
export function unreachableSince(): number | null {
  return lostAt;
}

/** Calls the listener when this changes. */
export function onReach(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function noteLife(): void {
  aliveAt = performance.now();
}

/** Records how a request ended; null if no answer came. */
export function noteAnswer(response: Response | null): void {
  if (response !== null) noteTime(response);
  const isOfProxy = (answer: Response): boolean =>
    OF_A_PROXY.includes(answer.status) && !answer.headers.get('content-type')?.includes('json');
  const isReached = response !== null && !isOfProxy(response);
  clearTimeout(timer);
  if (isReached) noteLife();
  else timer = window.setTimeout(look, AGAIN_MS);
  if (isReached === (lostAt === null)) return;
  lostAt = isReached ? null : serviceNow();
  for (const tell of listeners) tell();
}

/** Runs all shown queries again as soon as the service answers again. Call it once. */
export function followReach(client: QueryClient): void {
  onReach(() => {
    if (lostAt === null) void client.invalidateQueries();
  });
}

/**
 * Sends a request that is cheap to answer. If no answer comes, the requests that wait for one end too; unless another sign of life
 * came meanwhile: then the service is slow.
 */
export async function look(): Promise<void> {
  const began = performance.now();
  const answer = await fetch('/api/session', {
    headers: { [WATCHING]: '1' },
    signal: AbortSignal.timeout(LOOK_MS),
  }).catch(() => null);
  if (answer === null && aliveAt > began) return;
  noteAnswer(answer);
  if (lostAt === null) return;
  waiting.abort(new Error());
  waiting = new AbortController();
}
