import { carriedIds } from '../../core/carried-ids.ts';
import { type DeliveryResult, numberOfState } from '../../core/delivery.ts';
import { EVENT_TYPES, type NewEvent } from '../../core/event.ts';
import { answersOf, linesOf } from './answers.ts';
import type { AppendColumns, ResultColumns } from './protocol.ts';

const TYPE_NUMBERS = new Map(EVENT_TYPES.map((type, number) => [type, number]));

/**
 * The block that bodies cross to the writer in. It is shared memory and used again for every commit, of which there is
 * one at a time: a block made for each would be garbage that is swept late, on both threads.
 */
export class BodyBlock {
  #bytes = new Uint8Array(new SharedArrayBuffer(1 << 20));

  /** Room for this many bytes, as it was left. */
  take(size: number): Uint8Array {
    if (this.#bytes.byteLength < size) {
      this.#bytes = new Uint8Array(new SharedArrayBuffer(2 ** Math.ceil(Math.log2(size))));
    }
    return this.#bytes.subarray(0, size);
  }
}

/** Turns events into the columns that cross to the writer; their bodies are copied into the block. */
export function appendColumns(
  events: readonly NewEvent[],
  block: BodyBlock,
  placeholderIds?: ReadonlySet<string>,
): AppendColumns {
  const count = events.length;
  const sources = new Distinct();
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
    sourceOf[i] = sources.indexOf(event.sourceId);
    receivedAt[i] = event.receivedAt;
    timestamps[i] = event.timestamp;
    types[i] = TYPE_NUMBERS.get(event.type) ?? 0;
    bodies.set(event.body, end);
    ends[i] = end += event.body.byteLength;
  }
  const carried = events.map((event) => carriedIds(event, placeholderIds));
  return {
    sources: sources.values,
    sourceOf,
    receivedAt,
    timestamps,
    types,
    // As they will be read back: half a surrogate pair has no UTF-8, and an id must equal itself to be a duplicate.
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

export function resultColumns(results: readonly DeliveryResult[]): ResultColumns {
  const count = results.length;
  const destinations = new Distinct();
  const destinationOf = new Uint32Array(count);
  const lanes = new Float64Array(count);
  const seqs = new Float64Array(count);
  const states = new Uint8Array(count);
  const rounds = new Uint32Array(count);
  const firstAt = new Float64Array(count);
  const dueAt = new Float64Array(count);
  const at = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const result = results[i];
    if (!result) continue;
    destinationOf[i] = destinations.indexOf(result.destinationId);
    lanes[i] = result.laneId;
    seqs[i] = result.entry.position;
    states[i] = numberOfState(result.state);
    rounds[i] = result.rounds;
    firstAt[i] = result.firstAt ?? Number.NaN;
    dueAt[i] = result.dueAt ?? Number.NaN;
    at[i] = result.at;
  }
  return {
    lanes,
    destinations: destinations.values,
    destinationOf,
    seqs,
    states,
    reasons: results.map(({ reason }) => reason),
    attempts: results.map(({ attempts }) => linesOf(attempts)),
    answers: results.map(({ attempts }) => answersOf(attempts)),
    rounds,
    firstAt,
    dueAt,
    urlsLeft: results.map(({ urlsLeft }) => urlsLeft && JSON.stringify(urlsLeft)),
    at,
  };
}

/** Numbers distinct texts in the order of their first use. */
class Distinct {
  readonly values: string[] = [];
  readonly #indices = new Map<string, number>();

  indexOf(value: string): number {
    let index = this.#indices.get(value);
    if (index === undefined) {
      index = this.values.length;
      this.values.push(value);
      this.#indices.set(value, index);
    }
    return index;
  }
}
