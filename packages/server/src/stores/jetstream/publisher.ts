import { randomUUID } from 'node:crypto';
import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import { apiCode, isFull, isUnheard, STREAM_NOT_FOUND, storageFault } from './failure.ts';
import { type Ends, fill, lostError, noteLoss } from './stream-end.ts';
import type { StreamWorld } from './world.ts';

/** After this time without an acknowledgement the batch is sent again, with the same message id: NATS stores it once. */
const ATTEMPT_MS = 2_000;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

export interface Limits {
  /** When the stream must have a batch, of `performance.now`. */
  readonly deadline: number;
  /** The last sequence that the index knew before. An earlier place was used before: the stream has lost what it had there. */
  readonly after: number;
}

/**
 * Resolves when the stream has stored the batch on the required number of servers. Nothing is sent while the link is down: it
 * would be delivered after all callers had given up.
 *
 * @throws Fault `storage_full` at once, `storage_unavailable` after the deadline. In the latter case the stream may have the
 * batch nevertheless.
 */
export type Publish = (shard: number, subject: string, batch: Uint8Array, limits: Limits) => Promise<void>;

/** Publishes batches to the streams. */
export function publisher({ link, names, index, report }: StreamWorld): Publish {
  /** Functions that end the attempts under way. */
  const attempts = new Set<(reason: Error) => void>();
  /** Streams that are being looked for. */
  const looking = new Set<string>();
  // Batches that were lost with the connection are sent again as soon as it is back.
  link.onReturn(() => {
    for (const end of attempts) end(new Error('the connection was lost'));
  });

  /** Answers the batch's sequence. */
  async function attempt(
    stream: string,
    subject: string,
    batch: Uint8Array,
    msgID: string,
    timeout: number,
  ): Promise<number> {
    const lost = Promise.withResolvers<never>();
    attempts.add(lost.reject);
    try {
      const options = { msgID, timeout: Math.max(1, timeout), expect: { streamName: stream } };
      return (await Promise.race([link.js.publish(subject, batch, options), lost.promise])).seq;
    } finally {
      attempts.delete(lost.reject);
    }
  }

  /** Gives a place up in which the stream had something else, and all up to the last one that the index knows. */
  async function giveUp(shard: number, ends: Ends): Promise<void> {
    const stream = names.stream(shard);
    await link.jsm.streams.deleteMessage(stream, ends.last).catch(() => undefined);
    link.suspect(lostError(stream, ends.known, ends.last), async () => {
      // The place that the batch took was used before, too.
      report(await noteLoss(names, index, shard, { ...ends, last: ends.last - 1 }));
      await fill(link, names.filler(shard), stream, ends);
    });
  }

  /** Nothing listens to a stream whose leader is being elected, and to one that is gone. */
  async function lookFor(stream: string, subject: string): Promise<void> {
    if (looking.has(stream)) return;
    looking.add(stream);
    await link.jsm.streams.find(subject).catch((error: unknown) => {
      if (apiCode(error) !== STREAM_NOT_FOUND) return;
      link.suspect(new Error(`NATS has no stream ${stream} that takes ${subject} any more`, { cause: error }));
    });
    looking.delete(stream);
  }

  return async (shard, subject, batch, { deadline, after }) => {
    const stream = names.stream(shard);
    let msgID = randomUUID();
    let wait = FIRST_PAUSE_MS;
    let last: unknown = new Error('there is no connection');
    for (;;) {
      if (!link.isUp) await within(deadline - performance.now(), link.up(), () => undefined);
      const left = deadline - performance.now();
      const { trouble } = link;
      if (left <= 0) throw unavailable(trouble === null ? last : new Error(trouble));
      if (!link.isUp) {
        if (link.nc.isClosed()) throw unavailable(new Error('the service is stopping'));
        continue;
      }
      try {
        const seq = await attempt(stream, subject, batch, msgID, Math.min(ATTEMPT_MS, left));
        if (seq > after) return;
        // The index takes what lies in this place for what was there before, so the batch needs a later one.
        [last, msgID] = [lostError(stream, after, seq), randomUUID()];
        await giveUp(shard, { last: seq, known: after });
      } catch (error) {
        if (isFull(error)) throw storageFault(error);
        last = error;
        if (isUnheard(error)) void lookFor(stream, subject);
      }
      await pause(Math.min(wait, deadline - performance.now()));
      wait = Math.min(wait * 2, LONGEST_PAUSE_MS);
    }
  };
}

function unavailable(error: unknown): Fault {
  const why = isUnheard(error) ? 'no server leads the stream now' : (error as Error).message;
  return new Fault('storage_unavailable', `NATS did not confirm the events in time (${why}).`, {
    retryAfter: 5,
    cause: error,
  });
}
