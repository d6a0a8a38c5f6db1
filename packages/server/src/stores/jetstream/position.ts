import type { Position } from '../../core/event.ts';
import { SHARD_POSITIONS } from '../../core/position.ts';

/**
 * The position of an event: its shard, the sequence of its batch in the shard's stream, and its index in the batch. One safe
 * integer: shard × 2^49 + sequence × 2^10 + index.
 */
const BATCHES = 2 ** 10;

/** Most shards that a position can express. */
export const MAX_SHARDS = 16;
/** Most events of one batch that positions can express. */
export const MAX_BATCH_EVENTS: number = BATCHES;

export function positionOf(shard: number, seq: number, index: number): Position {
  return shard * SHARD_POSITIONS + seq * BATCHES + index;
}

/** The last position of a batch. All later positions are in later batches. */
export function endOf(shard: number, seq: number): Position {
  return positionOf(shard, seq, BATCHES - 1);
}

/** The first position of a batch. */
export function beginOf(shard: number, seq: number): Position {
  return positionOf(shard, seq, 0);
}

/** The first position of the batch that contains a position. */
export function batchOf(position: Position): Position {
  return position - indexOf(position);
}

export function seqOf(position: Position): number {
  return Math.floor((position % SHARD_POSITIONS) / BATCHES);
}

export function indexOf(position: Position): number {
  return position % BATCHES;
}

/** The shard of a source: the same on every node, for ever (FNV-1a over its UTF-16 units). */
export function shardOfSource(sourceId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < sourceId.length; i++) hash = Math.imul(hash ^ sourceId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % shards;
}
