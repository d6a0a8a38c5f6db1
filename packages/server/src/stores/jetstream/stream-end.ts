import type { Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import { encodeBatch } from './batch.ts';
import { apiCode, WRONG_LAST_SEQUENCE } from './failure.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { endOf, seqOf } from './position.ts';
import { isReadElsewhere, streamInfo } from './streams.ts';

/** More lost batches than this are no accident: an operator must look. */
const MOST_LOST = 1_000_000;
/** How many batches are on their way at a time. */
const WINDOW = 256;

/** The last batch of a stream, and the last one that the index knows. */
export interface Ends {
  readonly last: number;
  readonly known: number;
}

/**
 * Ensures that no sequence of a stream is used twice. A stream that ends before what the index knows has lost confirmed
 * batches: all its servers lost their power, or an older backup was restored. Empty batches fill these places. Several nodes
 * may do that at the same time.
 *
 * @throws Error that says what to do, if so many batches are missing that it must be another stream, or another node reads the whole stream.
 */
export async function mendStreamEnds(
  link: Link,
  names: Names,
  index: StreamIndex,
  report: (error: unknown) => void,
): Promise<void> {
  for (let shard = 0; shard < names.shards; shard++) {
    const stream = names.stream(shard);
    let { last, known } = await endsOf(link, names, index, shard);
    if (known <= last) continue;
    const isWhole = async (): Promise<boolean> => {
      ({ last, known } = await endsOf(link, names, index, shard));
      return known <= last;
    };
    if (await isReadElsewhere(index, shard, isWhole)) {
      throw new Error(
        `NATS at ${link.nc.getServer()} has the stream ${stream} up to ${last}, the database knows it up to ${known}, and another node of the same database reads it on other NATS servers, or that node has died within MILLRACE_NODE_TIMEOUT: then start again. Otherwise give all nodes the same MILLRACE_NATS_URL, and this one the database of its own cluster. If NATS has lost the rest, stop all nodes and start them: the loss is noted then.`,
      );
    }
    if (known <= last) continue;
    report(await noteLoss(names, index, shard, { last, known }));
    while (last < known) {
      await fill(link, names.filler(shard), stream, { last, known });
      ({ last, known } = await endsOf(link, names, index, shard));
    }
  }
}

/**
 * Notes what a stream has lost, and answers it in words.
 *
 * @throws Error that says what to do, if it is so much that it must be another stream.
 */
export async function noteLoss(names: Names, index: StreamIndex, shard: number, { last, known }: Ends): Promise<Error> {
  const stream = names.stream(shard);
  const lost = known - last;
  if (lost > MOST_LOST) {
    throw new Error(
      `The stream ${stream} ends at ${last}, and the database knows it up to ${known}: they don't belong together. Restore the backups of NATS and PostgreSQL of the same time. If what NATS had is lost for good, stop all nodes, run "nats stream purge ${stream} --seq=${known + 1}", and start them.`,
    );
  }
  const what = (after: Position, through: Position): string =>
    `what the stream ${stream} had from ${seqOf(after) + 1} to ${seqOf(through)}`;
  const events = await index.lose(endOf(shard, last), endOf(shard, known), what);
  return new Error(
    `The stream ${stream} ended ${lost} batches before what the database knows, with at least ${events} events: NATS lost what it had confirmed, or an older backup was restored. Their places stay empty.`,
  );
}

/** Says that a stream, which had batches up to `known`, ends at `last`. */
export function lostError(stream: string, known: number, last: number): Error {
  return new Error(
    `The stream ${stream} had ${known} batches and ends at ${last}: NATS has lost what it had confirmed.`,
  );
}

async function endsOf(link: Link, names: Names, index: StreamIndex, shard: number): Promise<Ends> {
  // The stream is read last. So batches that others append and index meanwhile do not look lost.
  const bounds = (await index.lanes())
    .flatMap(({ after, until }) => [after, until ?? after])
    .filter((each) => shardOf(each) === shard);
  const known = Math.max(seqOf(await index.through(shard)), ...bounds.map(seqOf));
  const info = await streamInfo(link, names, shard);
  if (!info) throw new Error(`NATS has no stream ${names.stream(shard)}.`);
  return { last: info.state.last_seq, known };
}

/** Fills the places after `last` up to `known`. Stops if another node fills them. */
export async function fill(link: Link, subject: string, streamName: string, { last, known }: Ends): Promise<void> {
  const batch = encodeBatch({ sourceId: '', events: [], duplicates: 0 });
  for (let lastSequence = last; lastSequence < known; ) {
    const window = Array.from({ length: Math.min(WINDOW, known - lastSequence) }, () =>
      link.js.publish(subject, batch, { expect: { streamName, lastSequence: lastSequence++ } }),
    );
    for (const end of await Promise.allSettled(window)) {
      if (end.status === 'fulfilled') continue;
      if (WRONG_LAST_SEQUENCE.has(apiCode(end.reason))) return;
      throw end.reason;
    }
  }
}
