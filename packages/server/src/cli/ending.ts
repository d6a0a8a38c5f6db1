import { EXIT, type Io } from './io.ts';

/** A second signal within this time is the same key press, which npm or the terminal has passed on again. */
const SAME_PRESS_MS = 1_000;

/** Aborts at the first signal. After that, a signal that comes a second or more later ends the process (contract 13). `done` removes the handlers. */
export function signalOf(io: Io): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  let first = 0;
  const handle = (): void => {
    if (!controller.signal.aborted) {
      first = Date.now();
      controller.abort();
    } else if (Date.now() - first >= SAME_PRESS_MS) {
      io.exit(EXIT.failed);
    }
  };
  // SIGHUP: the terminal was closed.
  const ends = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => io.onSignal(signal, handle));
  const done = (): void => {
    for (const end of ends) end();
  };
  return { signal: controller.signal, done };
}

/** Like `signalOf`, for a command that only prints: it also aborts when the reader of the output is gone. */
export function endOf(io: Io): { readonly signal: AbortSignal; done(): void } {
  const { signal, done } = signalOf(io);
  const unread = new AbortController();
  io.out.once('error', () => unread.abort());
  return { signal: AbortSignal.any([signal, unread.signal]), done };
}
