import type { Clock } from '../../core/clock.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import { JetStreamEventLog } from './event-log.ts';
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
  /** Streams that the sources are spread over, 1 to 16. It can't be changed once there are events. */
  readonly shards: number;
  /** Names of everything in NATS begin with this. */
  readonly prefix?: string;
  /** After how many silent milliseconds of a node another one takes over what it has under way. */
  readonly ackWait?: number;
  /** How long events wait for the stream to confirm them before they are refused, milliseconds. */
  readonly appendDeadline?: number;
  /** Is told how long each batch took until it was confirmed, milliseconds, and how many events it held. */
  readonly onCommit?: (ms: number, events: number) => void;
  /** Is told of what fails and is tried again. */
  readonly report: (error: unknown) => void;
  /** Is told when the connection was lost, and when there is one again. */
  readonly changed?: (isUp: boolean) => void;
}

/**
 * Connects to NATS, sees to the streams, and opens the log.
 *
 * @throws Error that says what is wrong with the servers or the settings, and the fix; then nothing is left open.
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
  const { index, lead, clock, report, changed } = options;
  const names = new Names(prefix, shards);
  const link = await Link.open({ url, name: prefix, report, ...(changed && { changed }) });
  try {
    // Servers that come back may have lost the streams too.
    const mend = async (): Promise<void> => {
      await prepareStreams(link, names, options, index);
      await mendStreamEnds(link, names, index, report);
    };
    await mend();
    // NATS may have died with what it had confirmed, while this process lives.
    link.checkReturns(mend);
    const log = new JetStreamEventLog({ link, names, index, clock, ackWait, appendDeadline, onCommit, report }, lead);
    // What was appended before a crash is known as duplicates, unless the index lags far behind.
    await log.indexed().catch(report);
    return log;
  } catch (error) {
    await link.close();
    throw error;
  }
}
