import { DeliverPolicy, type JsMsg, jetstream } from '@nats-io/jetstream';
import { pause } from '../../core/pause.ts';
import { apiCode, STREAM_NOT_FOUND } from './failure.ts';
import type { Link } from './link.ts';

export interface TailOptions {
  readonly stream: string;
  /** The first sequence to read. */
  readonly from: number;
  readonly signal: AbortSignal;
}

/** How many messages the server may send ahead of the reader. */
const AHEAD = 32;
/** After this time without a message, the end of the stream is checked. */
const SILENT_MS = 2_000;
/** A consumer that was placed on a dead server never answers. After this time another one is made, probably on another server. */
const PLACED_MS = 2_000;
/** Pause before the next session. */
const RETRY_MS = 500;

/**
 * The messages of a stream in order, as they arrive, without acknowledgement. It ends with the signal. It also ends if no
 * message comes although the stream has one: its consumer lives on one server, and if that server dies, the client waits for up
 * to a minute before it makes another. The caller then begins again after its last message. It ends, too, if the stream is gone
 * or ends before that message.
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
      .then(({ state }) => waitsSince === since && state.last_seq !== reached && stop())
      // If no server knows the end now, the next check asks again.
      .catch((error: unknown) => apiCode(error) === STREAM_NOT_FOUND && stop());
  }, SILENT_MS);
  watch.unref();
  try {
    if (signal.aborted) return;
    for await (const message of messages) {
      // After the stop, the client still yields messages that it had received.
      if (signal.aborted) return;
      // While the caller works on a message, the time does not count as silence.
      waitsSince = Infinity;
      yield message;
      [waitsSince, reached] = [performance.now(), message.seq];
    }
  } finally {
    clearInterval(watch);
    signal.removeEventListener('abort', stop);
    messages.stop();
    // If the consumer can't be deleted now, the server deletes it after some idle time.
    consumer.delete().catch(() => undefined);
  }
}

/** Runs sessions one after the other until the signal aborts. Errors are reported, and there is a pause between sessions. */
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
