import type { Outcome } from '../core/delivery.ts';
import type { Signing, Target } from '../core/destination.ts';
import type { Event, Position } from '../core/event.ts';

/**
 * Sends bodies to one URL. The lane loop knows only this shape: the real one is an undici pool (send.ts), a simulation
 * brings its own.
 */
export interface Sender {
  /**
   * One attempt. Never throws; `done` is called exactly once, later than this call, at the latest when the deadlines for
   * headers and body have passed. How many are under way at once is the caller's to decide.
   */
  send(message: Outgoing, done: (outcome: Outcome) => void): void;

  /** When the certificate of its last connection ends, milliseconds since the epoch; null where none was seen. */
  readonly certificateEndsAt?: number | null;

  /** Ends what is under way (each `done` is still called, with error `aborted`) and closes all connections. */
  close(): Promise<void>;
}

/** What is sent, and under which source it was accepted. */
export interface Outgoing extends Pick<Event, 'body' | 'sourceId' | 'messageId' | 'userId'> {
  /** Absent of a test message. */
  readonly position?: Position;
}

export interface SenderOptions extends Signing {
  readonly webhook: Target;
  /** Milliseconds to the response headers, and most connections; those of the process where they are absent. */
  readonly timeout?: number;
  readonly connections?: number;
}

/** The type of a source, as requests name it; `unknown` for one that is gone, and for test messages. */
export type SourceTypeOf = (sourceId: string) => string;

export type OpenSender = (options: SenderOptions) => Sender;

/** One attempt over a connection of its own; `aborted` when the signal aborts first. */
export async function sendOnce(
  openSender: OpenSender,
  options: SenderOptions,
  message: Outgoing,
  signal?: AbortSignal,
): Promise<Outcome> {
  const sender = openSender(options);
  const abort = (): void => void sender.close();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await new Promise((resolve) => {
      sender.send(message, resolve);
      if (signal?.aborted) abort();
    });
  } finally {
    signal?.removeEventListener('abort', abort);
    await sender.close();
  }
}
