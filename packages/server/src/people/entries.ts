import type { LogEntry } from '../core/event.ts';
import { type Call, readCall } from './call.ts';

/**
 * Entries of the log on their way to the engine's thread: columns of what people/ reads of them, so that the cost of
 * crossing is per page and hardly per entry.
 */
export interface EntryColumns {
  /** Distinct ids of sources; `sourceOf` points into it. */
  readonly sources: readonly string[];
  readonly sourceOf: Uint32Array;
  readonly positions: Float64Array;
  /** All bodies, one after the other; `ends` says where each ends. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
}

export function packEntries(entries: readonly LogEntry[]): EntryColumns {
  const sources = new Map<string, number>();
  const sourceOf = new Uint32Array(entries.length);
  const positions = new Float64Array(entries.length);
  const ends = new Uint32Array(entries.length);
  const bodies = new Uint8Array(entries.reduce((sum, { body }) => sum + body.byteLength, 0));
  let end = 0;
  for (const [i, { sourceId, position, body }] of entries.entries()) {
    let source = sources.get(sourceId);
    if (source === undefined) {
      source = sources.size;
      sources.set(sourceId, source);
    }
    sourceOf[i] = source;
    positions[i] = position;
    bodies.set(body, end);
    end += body.byteLength;
    ends[i] = end;
  }
  return { sources: [...sources.keys()], sourceOf, positions, bodies, ends };
}

/** The calls of those entries that `isNew` lets pass. */
export function unpackCalls(columns: EntryColumns, isNew: (sourceId: string, position: number) => boolean): Call[] {
  const { sources, sourceOf, positions, bodies, ends } = columns;
  const calls: Call[] = [];
  let start = 0;
  for (let i = 0; i < positions.length; i++) {
    const end = ends[i] ?? start;
    const sourceId = sources[sourceOf[i] ?? 0] ?? '';
    const position = positions[i] ?? 0;
    // One without a body was removed.
    if (end > start && isNew(sourceId, position)) {
      const call = readCall(sourceId, position, UTF8.decode(bodies.subarray(start, end)));
      if (call) calls.push(call);
    }
    start = end;
  }
  return calls;
}

const UTF8 = new TextDecoder();
