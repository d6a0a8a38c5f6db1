import { carriedIds } from '../../core/carried-ids.ts';
import { type DeliveryResult, numberOfState } from '../../core/delivery.ts';
import { EVENT_TYPES, type NewEvent } from '../../core/event.ts';
import { answersOf, linesOf } from './answers.ts';
import type { AppendColumns, ResultRow } from './protocol.ts';

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, number) => [type, number]));

/**
 * The block of shared memory in which bodies cross to the writer. Every commit uses the same block, because only one commit
 * runs at a time. A new block for each commit would be garbage on both threads, and be collected late.
 */
export class BodyBlock {
  #bytes = new Uint8Array(new SharedArrayBuffer(1 << 20));

  /** Returns `size` bytes. They may still contain earlier bodies. */
  take(size: number): Uint8Array {
    if (this.#bytes.byteLength < size) {
      this.#bytes = new Uint8Array(new SharedArrayBuffer(2 ** Math.ceil(Math.log2(size))));
    }
    return this.#bytes.subarray(0, size);
  }
}

/** Converts events to the columns that cross to the writer. Copies their bodies into the block. */
export function appendColumns(
  events: readonly NewEvent[],
  block: BodyBlock,
  placeholderIds?: ReadonlySet<string>,
): AppendColumns {
  const count = events.length;
  const sources = new Map<string, number>();
  const sourceOf = new Uint32Array(count);
  const receivedAt = new Float64Array(count);
  const timestamps = new Float64Array(count);
  const types = new Uint8Array(count);
  const ends = new Uint32Array(count);
  let size = 0;
  for (const event of events) size += event.body.byteLength;
  const bodies = block.take(size);
  let end = 0;
  for (let i = 0; i < count; i++) {
    const event = events[i];
    if (!event) continue;
    const source = sources.get(event.sourceId) ?? sources.size;
    sources.set(event.sourceId, source);
    sourceOf[i] = source;
    receivedAt[i] = event.receivedAt;
    timestamps[i] = event.timestamp;
    types[i] = TYPE_NUMBERS.get(event.type) ?? 0;
    bodies.set(event.body, end);
    ends[i] = end += event.body.byteLength;
  }
  const carried = events.map((event) => carriedIds(event, placeholderIds));
  return {
    sources: [...sources.keys()],
    sourceOf,
    receivedAt,
    timestamps,
    types,
    // Well-formed, as the database returns them: half a surrogate pair has no UTF-8, and a duplicate must compare equal to the stored id.
    messageIds: events.map(({ messageId }) => messageId.toWellFormed()),
    names: events.map(({ name }) => name),
    userIds: events.map(({ userId }) => userId),
    anonymousIds: carried.map(({ anonymousId }) => anonymousId),
    previousIds: carried.map(({ previousId }) => previousId),
    integrations: events.map(({ integrations }) => integrations),
    unsent: events.map(({ unsent }) => unsent),
    bodies,
    ends,
  };
}

export function resultRows(results: readonly DeliveryResult[]): ResultRow[] {
  return results.map(({ destinationId, entry, laneId, state, attempts, urlsLeft, ...result }) => [
    ...([destinationId, entry.position, laneId, numberOfState(state), result.reason] as const),
    ...([linesOf(attempts), answersOf(attempts), result.rounds, result.firstAt, result.dueAt] as const),
    ...([urlsLeft && JSON.stringify(urlsLeft), result.at] as const),
  ]);
}
