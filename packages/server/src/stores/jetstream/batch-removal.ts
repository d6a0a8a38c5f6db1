import type { Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import { encodeBatch } from './batch.ts';
import type { BatchReader } from './batch-reader.ts';
import { apiCode, MESSAGE_DELETE_FAILED, NO_MESSAGE_FOUND, SEQUENCE_NOT_FOUND } from './failure.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { indexOf, seqOf } from './position.ts';

/** How many batches are deleted at a time. */
const MOST_AT_ONCE = 16;

/** See BatchedStream.reduce. */
export async function reduceBatch(
  batches: BatchReader,
  batch: Position,
  without: ReadonlySet<Position>,
): Promise<Uint8Array | null | undefined> {
  const entries = await batches.now(batch);
  const events = entries?.filter(({ position }) => !without.has(position));
  const [first] = events ?? [];
  if (!events || !first) return events && null;
  const places = events.map(({ position }) => indexOf(position));
  return encodeBatch({ sourceId: first.sourceId, events, duplicates: 0, places });
}

/** See BatchedStream.deleteBatches. The servers overwrite what they delete. */
export async function deleteBatches({ jsm }: Link, names: Names, batches: readonly Position[]): Promise<void> {
  const remove = async (batch: Position): Promise<void> => {
    await jsm.streams.deleteMessage(names.stream(shardOf(batch)), seqOf(batch), true).catch((error: unknown) => {
      if (!isGone(error)) throw error;
    });
  };
  for (let start = 0; start < batches.length; start += MOST_AT_ONCE) {
    await Promise.all(batches.slice(start, start + MOST_AT_ONCE).map(remove));
  }
}

/** Whether the message does not exist. The servers report that in several ways. */
function isGone(error: unknown): boolean {
  const code = apiCode(error);
  if (code === NO_MESSAGE_FOUND || code === SEQUENCE_NOT_FOUND) return true;
  return code === MESSAGE_DELETE_FAILED && /no message found|deleted message/i.test((error as Error).message);
}
