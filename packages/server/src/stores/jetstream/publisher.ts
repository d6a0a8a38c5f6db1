import { randomUUID } from 'node:crypto';
import { Fault } from '../../core/fault.ts';
import { isFull, storageFault } from './failure.ts';
import type { Link } from './link.ts';

/** An acknowledgement that takes longer is asked for again, under the same message id: NATS takes it once. */
const ATTEMPT_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

/** Puts packs into a stream. */
export class Publisher {
  readonly #link: Link;

  constructor(link: Link) {
    this.#link = link;
  }

  /**
   * Resolves when the stream has the pack, on as many servers as it must. Nothing is handed to a link that is down: it
   * would send it after everybody had given up.
   *
   * @throws Fault `storage_full` at once, `storage_unavailable` after the deadline (of `performance.now`); then the stream may
   *   have the pack nevertheless.
   */
  async publish(stream: string, subject: string, pack: Uint8Array, deadline: number): Promise<void> {
    const msgID = randomUUID();
    let pause = FIRST_PAUSE_MS;
    let last: unknown = new Error('there is no connection');
    for (;;) {
      if (!this.#link.isUp) await Promise.race([this.#link.up(), after(deadline - performance.now())]);
      const left = deadline - performance.now();
      if (left <= 0) throw unavailable(last);
      if (!this.#link.isUp) {
        if (this.#link.nc.isClosed()) throw unavailable(new Error('the service is stopping'));
        continue;
      }
      try {
        await this.#link.js.publish(subject, pack, {
          msgID,
          timeout: Math.min(ATTEMPT_MS, Math.max(1, left)),
          expect: { streamName: stream },
        });
        return;
      } catch (error) {
        if (isFull(error)) throw storageFault(error);
        last = error;
      }
      await after(Math.min(pause, deadline - performance.now()));
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
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

function after(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)).unref());
}
