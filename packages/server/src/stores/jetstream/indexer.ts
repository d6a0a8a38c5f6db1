import type { JsMsg } from '@nats-io/jetstream';
import type { LogEntry } from '../../core/event.ts';
import { pause } from '../../core/pause.ts';
import type { SourceDuplicates } from '../../log/stream-index.ts';
import { decodeBatch, entriesOf, plainLength } from './batch.ts';
import { beginOf, endOf, seqOf } from './position.ts';
import { lostError } from './stream-end.ts';
import { inSessions, tailOf } from './stream-tail.ts';
import type { StreamWorld } from './world.ts';

/** The most that one transaction adds to the index. */
const MOST_BATCHES = 4_096;
const MOST_BYTES = 4 * 1024 * 1024;
/** Fewer batches than this wait for more: a transaction costs the database as much as some batches. */
const FEW_BATCHES = 32;
const LINGER_MS = 20;

/**
 * Runs `work` whenever this process leads a shard, and no other process does. `signal` aborts when this process no longer
 * leads. The returned function ends that, and resolves when the work has ended.
 */
export type Lead = (shard: number, work: (signal: AbortSignal) => Promise<void>) => () => Promise<void>;

interface IndexerWorld extends StreamWorld {
  /** Called when the index has a shard up to a sequence of its stream. */
  readonly added: (shard: number, seq: number) => void;
}

/**
 * Fills the index from a shard's stream, in order, from where the last leader stopped. Resolves when the signal aborts. An
 * error before that is reported, and the work begins again.
 */
export function fillIndex(world: IndexerWorld, shard: number, signal: AbortSignal): Promise<void> {
  return inSessions(() => follow(world, shard, signal), signal, world.report);
}

async function follow(world: IndexerWorld, shard: number, signal: AbortSignal): Promise<void> {
  const { link, names, index } = world;
  await link.up();
  const from = await passLost(world, shard, seqOf(await index.through(shard)) + 1);
  const failing = new AbortController();
  const tail = { stream: names.stream(shard), from, signal: AbortSignal.any([signal, failing.signal]) };
  let waiting: JsMsg[] = [];
  let bytes = 0;
  // The batches that are being added while further messages arrive.
  let adding: Promise<void> | null = null;
  const add = async (): Promise<void> => {
    try {
      // If messages could not be added, no later ones may be: the index must have no gaps.
      while (waiting.length > 0 && !tail.signal.aborted) {
        if (waiting.length < FEW_BATCHES) await pause(LINGER_MS, tail.signal);
        const messages = waiting;
        [waiting, bytes] = [[], 0];
        await addBatches(world, shard, messages);
      }
    } catch (error) {
      failing.abort(error);
    } finally {
      adding = null;
    }
  };
  try {
    for await (const message of tailOf(link, tail)) {
      waiting.push(message);
      bytes += plainLength(message.data);
      adding ??= add();
      if (bytes >= MOST_BYTES || waiting.length >= MOST_BATCHES) await adding;
    }
  } finally {
    await adding;
  }
  failing.signal.throwIfAborted();
}

/**
 * Skips what the stream dropped before it was indexed, and reports that loss. Answers the sequence to begin with. A stream that
 * ends before that has lost what it had: then the link is down until the stream is mended.
 */
async function passLost(world: IndexerWorld, shard: number, from: number): Promise<number> {
  const { link, names, index, report, added } = world;
  const stream = names.stream(shard);
  const { first_seq: first, last_seq: last } = (await link.jsm.streams.info(stream)).state;
  if (last < from - 1) link.suspect(lostError(stream, from - 1, last));
  if (first <= from) return from;
  await index.add(shard, [], endOf(shard, first - 1), []);
  added(shard, first - 1);
  report(
    new Error(
      `The stream ${stream} lost ${first - from} of its batches before any node had counted them. No node ran, or the database was away, for as long as events are kept; or somebody purged the stream.`,
    ),
  );
  return first;
}

async function addBatches({ index, added }: IndexerWorld, shard: number, messages: readonly JsMsg[]): Promise<void> {
  const entries: LogEntry[] = [];
  const duplicates: SourceDuplicates[] = [];
  let through = 0;
  for (const { seq, data } of messages) {
    const batch = decodeBatch(data);
    for (const entry of entriesOf(batch, shard, seq)) entries.push(entry);
    if (batch.duplicates > 0) {
      duplicates.push({ position: beginOf(shard, seq), sourceId: batch.sourceId, count: batch.duplicates });
    }
    through = seq;
  }
  await index.add(shard, entries, endOf(shard, through), duplicates);
  added(shard, through);
}
