import { EXIT, type Io } from './io.ts';

/** A second signal this soon is the same key press, delivered once more by npm or the terminal. */
const SAME_PRESS_MS = 1_000;

/**
 * Aborts at the first signal; from then on, one that comes a second or more later ends the process (contract 13). `done` gives the
 * signals back to those who had them.
 */
export function signalOf(io: Io): { readonly signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, done: onFirstSignal(io, () => controller.abort()) };
}

/** Like `signalOf`, for a command that only prints: it also ends when its output is no longer read. */
export function endOf(io: Io): { readonly signal: AbortSignal; done(): void } {
  const { signal, done } = signalOf(io);
  const unread = new AbortController();
  io.out.once('error', () => unread.abort());
  return { signal: AbortSignal.any([signal, unread.signal]), done };
}

function onFirstSignal(io: Io, act: () => void): () => void {
  let first = 0;
  const handle = (): void => {
    const now = Date.now();
    if (first === 0) {
      first = now;
      act();
    } else if (now - first >= SAME_PRESS_MS) {
      io.exit(EXIT.failed);
    }
  };
  const ends = [io.onSignal('SIGINT', handle), io.onSignal('SIGTERM', handle)];
  return () => {
    for (const end of ends) end();
  };
}
