import { withinOf } from './options.ts';

/** What `closeOnExit` closes: a client. */
export interface Closable {
  close(options: { readonly within: number }): Promise<unknown>;
}

export interface ExitOptions {
  /** Default `SIGTERM` and `SIGINT`. */
  readonly signals?: readonly string[];
  /** Milliseconds to deliver the remaining messages. Default 5,000; Infinity waits for all attempts. */
  readonly within?: number;
}

/** The part of Node's `process` that this file uses. */
interface Process {
  readonly pid: number;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): void;
}

/**
 * Node: closes a client when the process is about to end, by a signal or because it has nothing left to do.
 *
 * After a signal, closes the client and then ends the process as the signal would have. If the application also listens
 * for the signal, it must end the process itself. `process.exit()` ends the process at once: close the client first.
 *
 * The listeners stay until the client is closed, so a second signal, or another client that closes sooner, does not end
 * the process.
 *
 * @returns a function that removes the listeners.
 * @throws MillraceError `invalid_option`, if `within` is not a time.
 */
export function closeOnExit(
  client: Closable,
  { signals = ['SIGTERM', 'SIGINT'], within = 5_000 }: ExitOptions = {},
): () => void {
  withinOf(within);
  const { process } = globalThis as unknown as { readonly process: Process };
  const close = (signal: string | null): void => {
    void client.close({ within }).finally(() => {
      remove();
      if (signal !== null && process.listenerCount(signal) === 0) process.kill(process.pid, signal);
    });
  };
  const listeners = signals.map((signal) => [signal, () => close(signal)] as const);
  const atEnd = (): void => close(null);
  const remove = (): void => {
    process.off('beforeExit', atEnd);
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
  process.on('beforeExit', atEnd);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return remove;
}
