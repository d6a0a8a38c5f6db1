import { DeliverPolicy, type JsMsg, jetstream } from '@nats-io/jetstream';
import { pause } from '../../core/pause.ts';
import type { Link } from './link.ts';

export interface TailOptions {
  readonly stream: string;
  /** The first place that is read. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** Messages that are on their way from the server ahead of who reads. */
const AHEAD = 32;
/** After so long without a message it is asked whether there is one. */
const SILENT_MS = 2_000;
/** A consumer that was put on a dead server is never heard of: then another is asked for, which is put elsewhere with some luck. */
const PLACED_MS = 2_000;
/** Wait before the next session. */
const RETRY_MS = 500;

/**
 * A stream's messages in order, as they come, without acknowledgement. It ends with the signal, and when nothing more comes
 * although there is something: its consumer lives on one server, and when that one dies the client looks for it for up to a
 * minute before it makes another. Who reads begins again then, from where it is.
 */
export async function* tailOf(link: Link, { stream, from, signal }: TailOptions): AsyncGenerator<JsMsg> {
  await link.up();
  const { consumers } = jetstream(link.nc, { timeout: PLACED_MS });
  const consumer = await consumers.get(stream, {
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
  });
  const messages = await consumer.consume({ max_messages: AHEAD, idle_heartbeat: SILENT_MS });
  const stop = (): void => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  let [waitsSince, reached] = [performance.now(), from - 1];
  const watch = setInterval(() => {
    const since = waitsSince;
    if (performance.now() - since < SILENT_MS) return;
    link.jsm.streams
      .info(stream)
      .then(({ state }) => waitsSince === since && state.last_seq > reached && stop())
      // Where no server knows now, it is asked again.
      .catch(() => undefined);
  }, SILENT_MS);
  watch.unref();
  try {
    if (signal.aborted) return;
    for await (const message of messages) {
      // What the client has received before it was told to stop still comes.
      if (signal.aborted) return;
      // While a message is worked on, nothing is waited for.
      waitsSince = Infinity;
      yield message;
      [waitsSince, reached] = [performance.now(), message.seq];
    }
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
    messages.stop();
    // Where it can't be removed now, the server does it when it has not been read for a while.
    consumer.delete().catch(() => undefined);
  }
}

/** One session after the other until the signal aborts; what fails in one is reported, and the next begins after a pause. */
export async function inSessions(
  session: () => Promise<void>,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await session();
    } catch (error) {
      if (!signal.aborted) report(error);
    }
    await pause(RETRY_MS, signal);
  }
}
