import { shardOf } from '../../core/position.ts';
import type { StreamIndex } from '../../log/stream-index.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { encodePack } from './pack.ts';
import { endOf, seqOf } from './position.ts';
import { streamInfo } from './streams.ts';

/** More than this many lost packs are no accident of a moment: an operator has to look. */
const MOST_LOST = 1_000_000;
/** Packs on their way at a time. */
const WINDOW = 256;

/**
 * Sees to it that no place of a stream is given twice. A stream that ends before what the index knows has lost what it had
 * confirmed (all its servers lost their power, or an older backup was restored): empty packs take those places.
 *
 * @throws Error that says what to do, when it ends so far before that it must be another stream.
 */
export async function mendStreamEnds(
  link: Link,
  names: Names,
  index: StreamIndex,
  report: (error: unknown) => void,
): Promise<void> {
  const lanes = await index.lanes();
  for (let shard = 0; shard < names.shards; shard++) {
    const stream = names.stream(shard);
    const info = await streamInfo(link, names, shard);
    if (!info) throw new Error(`NATS has no stream ${stream}.`);
    const { state } = info;
    const bounds = lanes
      .flatMap(({ after, until }) => [after, until ?? after])
      .filter((each) => shardOf(each) === shard);
    const known = Math.max(seqOf(await index.through(shard)), ...bounds.map(seqOf));
    const lost = known - state.last_seq;
    if (lost <= 0) continue;
    if (lost > MOST_LOST) {
      throw new Error(
        `The stream ${stream} ends at ${state.last_seq}, and the database knows it up to ${known}: they don't belong together. Restore the backups of NATS and PostgreSQL of the same time, or begin with an empty database.`,
      );
    }
    const what = `what the stream ${stream} had from ${state.last_seq + 1} to ${known}`;
    const events = await index.lose(endOf(shard, state.last_seq), endOf(shard, known), what);
    report(
      new Error(
        `The stream ${stream} ended ${lost} packs before what the database knows, with at least ${events} events: NATS lost what it had confirmed, or an older backup was restored. Their places stay empty.`,
      ),
    );
    await fill(link, names.filler(shard), stream, lost);
  }
}

async function fill(link: Link, subject: string, stream: string, count: number): Promise<void> {
  const pack = encodePack({ sourceId: '', events: [], duplicates: 0 });
  for (let done = 0; done < count; done += WINDOW) {
    const window = Array.from({ length: Math.min(WINDOW, count - done) }, () =>
      link.js.publish(subject, pack, { expect: { streamName: stream } }),
    );
    await Promise.all(window);
  }
}
