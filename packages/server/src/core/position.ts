import type { Position } from './event.ts';

/** Each shard of the log has a range of this many positions. The log of a single process is one shard. */
export const SHARD_POSITIONS: number = 2 ** 49;

/** The shard that a position belongs to. */
export function shardOf(position: Position): number {
  return Math.floor(position / SHARD_POSITIONS);
}

/** Every position of the shard is after `first` and at or before `last`. */
export function shardBounds(shard: number): readonly [first: Position, last: Position] {
  return [shard * SHARD_POSITIONS, (shard + 1) * SHARD_POSITIONS - 1];
}

/** After every position: a search that would go on here is over. */
export const BEYOND_ALL: Position = Number.MAX_SAFE_INTEGER;

/**
 * The offsets of the log at one moment: the last position of each shard, by the shard's number; 0 where a shard had none. Positions of two
 * shards can't be compared, so only offsets say what was in the log before a moment.
 */
export type Offsets = readonly Position[];

/** Whether a position was in the log at these offsets. */
export function isWithin(offsets: Offsets, position: Position): boolean {
  return position <= (offsets[shardOf(position)] ?? 0);
}

export function areSameOffsets(one: Offsets, other: Offsets): boolean {
  const shards = Math.max(one.length, other.length);
  return Array.from({ length: shards }).every((_, shard) => (one[shard] ?? 0) === (other[shard] ?? 0));
}

/** Positions from `first` to `last`, both included. Empty if `last` is below `first`. */
export interface Stretch {
  readonly first: Position;
  readonly last: Position;
}

/** The parts of a stretch that `others` do not contain. `others` are sorted by beginning. */
export function partsOutside({ first, last }: Stretch, others: readonly Stretch[]): Stretch[] {
  const parts: Stretch[] = [];
  let from = first;
  for (const other of others) {
    if (other.last < from || other.first > last) continue;
    if (other.first > from) parts.push({ first: from, last: other.first - 1 });
    from = other.last + 1;
  }
  return from > last ? parts : [...parts, { first: from, last }];
}

/** The key under which a shard's position is stored among those of sources; no source has such an id. */
export function shardKey(shard: number): string {
  return `shard ${shard}`;
}

/** The position up to which each shard was taken in, by the shard's number; a shard of which nothing was taken in has no entry. */
export function reachedIn(positions: ReadonlyMap<string, Position>): Position[] {
  const reached: Position[] = [];
  for (const [key, position] of positions) {
    const shard = shardOf(position);
    if (key === shardKey(shard)) reached[shard] = position;
  }
  return reached;
}
