import type { Outcome } from '../core/delivery.ts';
import type { Signing, Target } from '../core/destination.ts';
import type { Event, Position } from '../core/event.ts';

/** Sends bodies to one URL. Runners know only this interface: the real one sends over HTTP (send.ts), a simulation has its own. */
export interface Sender {
  /**
   * Makes one attempt. Never throws. `done` is called once, after this call has returned, and when the deadlines of headers and
   * body have passed at the latest. The caller limits how many are under way.
   */
  send(message: Outgoing, done: (outcome: Outcome) => void): void;

  /** When the certificate of the last connection ends, milliseconds since the epoch; null where none was seen. */
  readonly certificateEndsAt?: number | null;

  /** Ends all attempts (each `done` is still called, with the error `aborted`) and closes all connections. */
  close(): Promise<void>;
}

/** A message that is sent, and the source that accepted it. */
export interface Outgoing extends Pick<Event, 'body' | 'sourceId' | 'messageId' | 'userId'> {
  /** Absent for a test message. */
  readonly position?: Position;
}

export interface SenderOptions extends Signing {
  readonly webhook: Target;
  /** Milliseconds until the response headers, and most connections; absent: those of the process. */
  readonly timeout?: number;
  readonly connections?: number;
}

/** The type of a source as requests name it; `unknown` for a deleted source, and for test messages. */
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
