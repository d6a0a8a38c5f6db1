import { randomUUID } from 'node:crypto';
import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import { isFull, storageFault } from './failure.ts';
import type { Link } from './link.ts';

/** After this time without an acknowledgement the batch is sent again, with the same message id: NATS stores it once. */
const ATTEMPT_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Publishes batches to a stream. */
export class Publisher {
  readonly #link: Link;
  /** Functions that end the attempts under way. */
  readonly #attempts = new Set<(reason: Error) => void>();

  constructor(link: Link) {
    this.#link = link;
    // Batches that were lost with the connection are sent again as soon as it is back.
    link.onReturn(() => {
      for (const end of this.#attempts) end(new Error('the connection was lost'));
    });
  }

  /**
   * Resolves when the stream has stored the batch on the required number of servers. Nothing is sent while the link is down: it
   * would be delivered after all callers had given up.
   *
   * @throws Fault `storage_full` at once, `storage_unavailable` after the deadline (of `performance.now`). In the latter case
   * the stream may have the batch nevertheless.
   */
  async publish(stream: string, subject: string, batch: Uint8Array, deadline: number): Promise<void> {
    const msgID = randomUUID();
    let wait = FIRST_PAUSE_MS;
    let last: unknown = new Error('there is no connection');
    for (;;) {
      if (!this.#link.isUp) await within(deadline - performance.now(), this.#link.up(), () => undefined);
      const left = deadline - performance.now();
      if (left <= 0) throw unavailable(last);
      if (!this.#link.isUp) {
        if (this.#link.nc.isClosed()) throw unavailable(new Error('the service is stopping'));
        continue;
      }
      try {
        await this.#attempt(stream, subject, batch, msgID, Math.min(ATTEMPT_MS, left));
        return;
      } catch (error) {
        if (isFull(error)) throw storageFault(error);
        last = error;
      }
      await pause(Math.min(wait, deadline - performance.now()));
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
  }

  async #attempt(stream: string, subject: string, batch: Uint8Array, msgID: string, timeout: number): Promise<void> {
    const lost = Promise.withResolvers<never>();
    this.#attempts.add(lost.reject);
    try {
      const options = { msgID, timeout: Math.max(1, timeout), expect: { streamName: stream } };
      await Promise.race([this.#link.js.publish(subject, batch, options), lost.promise]);
    } finally {
      this.#attempts.delete(lost.reject);
    }
  }
}

function unavailable(error: unknown): Fault {
  const why = (error as Error).message;
  return new Fault('storage_unavailable', `NATS did not confirm the events in time (${why}).`, {
    retryAfter: 5,
    cause: error,
  });
}
