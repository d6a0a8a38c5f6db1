import type { Timer } from './timer.ts';

/** The timers of Node, which keep the process alive. */
const machine: Timer = {
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** Resolves after the given milliseconds, or when the signal aborts. */
export function pause(ms: number, signal?: AbortSignal, timer: Timer = machine): Promise<void> {
  if (signal?.aborted || ms <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = timer.after(ms, end);
    signal?.addEventListener('abort', end, { once: true });
    function end(): void {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    }
  });
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/**
 * Resolves with what the work answers.
 *
 * @throws The signal's reason when the signal aborts first.
 */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** What the work answers; where that takes longer than the given milliseconds (0 for a time that is over), what `late` answers. */
export async function within<T, L>(
  ms: number,
  work: T | Promise<T>,
  late: () => L,
  timer: Timer = machine,
): Promise<T | L> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const cancel = timer.after(Math.max(0, ms), resolve);
  try {
    return await Promise.race([work, promise.then(late)]);
  } finally {
    cancel();
  }
}
