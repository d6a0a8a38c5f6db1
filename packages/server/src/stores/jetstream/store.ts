import type { Clock } from '../../core/clock.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import { JetStreamEventLog } from './event-log.ts';
import { apiCode, STREAM_NOT_FOUND } from './failure.ts';
import type { Lead } from './indexer.ts';
import { Link } from './link.ts';
import { Names } from './names.ts';
import { MAX_SHARDS } from './position.ts';
import { mendStreamEnds } from './stream-end.ts';
import { prepareStreams, type StreamOptions } from './streams.ts';

export interface JetStreamLogOptions extends StreamOptions {
  /** `nats://[user:password@]host:port`; several servers of a cluster are separated by commas. */
  readonly url: string;
  readonly index: StreamIndex;
  readonly lead: Lead;
  readonly clock: Clock;
  /** Number of streams over which the sources are spread, 1 to 16. It can't be changed once there are events. */
  readonly shards: number;
  /** All names in NATS begin with this; default `millrace`. */
  readonly prefix?: string;
  /** After this time without a sign of life of a node, other nodes take over its batches, milliseconds; default 30 s. */
  readonly ackWait?: number;
  /** How long an append waits for the stream before it is refused, milliseconds; default 10 s. */
  readonly appendDeadline?: number;
  /** Called after each batch: how long its confirmation took, milliseconds, and how many events it had. */
  readonly onCommit?: (ms: number, events: number) => void;
  /** Called with errors of work that is tried again. */
  readonly report: (error: unknown) => void;
  /** See LinkOptions. */
  readonly changed?: (reason: string | null) => void;
}

/**
 * Connects to NATS, prepares the streams and opens the log.
 *
 * @throws Error that says what is wrong with the servers or the settings, and the fix. Then nothing is left open.
 */
export async function openJetStreamLog({
  url,
  shards,
  prefix = 'millrace',
  ackWait = 30_000,
  appendDeadline = 10_000,
  onCommit = () => undefined,
  ...options
}: JetStreamLogOptions): Promise<JetStreamEventLog> {
  if (!Number.isInteger(shards) || shards < 1 || shards > MAX_SHARDS) {
    throw new Error(`The number of shards is ${shards}; it must be between 1 and ${MAX_SHARDS}.`);
  }
  const { index, lead, clock, changed } = options;
  const names = new Names(prefix, shards);
  const link = await Link.open({ url, name: prefix, report: options.report, ...(changed && { changed }) });
  // A stream may be removed while nodes run.
  const report = (error: unknown): void => {
    if (apiCode(error) !== STREAM_NOT_FOUND) options.report(error);
    else link.suspect(new Error('NATS has lost a stream (stream not found).', { cause: error }));
  };
  try {
    // Runs again when servers come back: they may have lost the streams too.
    const mend = async (): Promise<void> => {
      await prepareStreams(link, names, options, index);
      await mendStreamEnds(link, names, index, report);
    };
    await mend();
    // NATS may lose confirmed batches in a crash while this process lives.
    link.checkReturns(mend);
    const log = new JetStreamEventLog({ link, names, index, clock, ackWait, appendDeadline, onCommit, report }, lead);
    // Waits for the index, so that events from before a crash count as duplicates, unless the index lags far behind.
    await log.indexed().catch(report);
    return log;
  } catch (error) {
    await link.close();
    throw error;
  }
}
