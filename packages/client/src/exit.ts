/** What is to be closed: a client. */
export interface Closable {
  close(options: { readonly within: number }): Promise<unknown>;
}

export interface ExitOptions {
  /** Default `SIGTERM` and `SIGINT`. */
  readonly signals?: readonly string[];
  /** Milliseconds to deliver what is left. Default 5,000. */
  readonly within?: number;
}

/** As much of Node as it takes. */
interface Process {
  readonly pid: number;
  on(event: string, listener: () => void): void;
  off(event: string, listener: () => void): void;
  listenerCount(event: string): number;
  kill(pid: number, signal: string): void;
}

/**
 * Node: closes a client when the process is about to end, because there is nothing more to do or by a signal. After a
 * signal it ends the process the way the signal would have, unless the application listens for it too: then ending is the
 * application's. `process.exit()` ends the process at once; close the client before. The answer takes the listeners away.
 *
 * Until the client is closed its listeners stay: a signal that comes twice, or another client that is closed sooner, ends nothing.
 */
export function closeOnExit(
  client: Closable,
  { signals = ['SIGTERM', 'SIGINT'], within = 5_000 }: ExitOptions = {},
): () => void {
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
