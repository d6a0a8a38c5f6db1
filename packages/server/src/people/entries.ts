import type { LogEntry } from '../core/event.ts';
import { handOver } from '../core/handed-over.ts';
import { type Call, readCall } from './call.ts';
import type { IdentityRules } from './identity-rules.ts';

/**
 * Entries of the log on their way to the engine's thread: columns of what people/ reads of them, so that the cost of
 * crossing is per page and hardly per entry.
 */
export interface EntryColumns {
  /** Distinct ids of sources; `sourceOf` points into it. */
  readonly sources: readonly string[];
  /** Of each of them, whether only servers have its key. */
  readonly servers: readonly boolean[];
  readonly sourceOf: Uint32Array;
  readonly positions: Float64Array;
  /** All bodies, one after the other; `ends` says where each ends. */
  readonly bodies: Uint8Array<ArrayBuffer>;
  readonly ends: Uint32Array;
}

export function packEntries(entries: readonly LogEntry[], isServer: (sourceId: string) => boolean): EntryColumns {
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
  const ids = [...sources.keys()];
  return handOver({ sources: ids, servers: ids.map(isServer), sourceOf, positions, bodies, ends }, [bodies.buffer]);
}

/** The calls of those entries that `isNew` lets pass, in the order of the log. */
export function unpackCalls(
  columns: EntryColumns,
  isNew: (sourceId: string, position: number) => boolean,
  rules: IdentityRules,
): Call[] {
  const { sources, servers, sourceOf, positions, bodies, ends } = columns;
  const calls: Call[] = [];
  let start = 0;
  for (let i = 0; i < positions.length; i++) {
    const end = ends[i] ?? start;
    const source = sourceOf[i] ?? 0;
    const sourceId = sources[source] ?? '';
    const position = positions[i] ?? 0;
    // One without a body was removed.
    if (end > start && isNew(sourceId, position)) {
      const origin = { sourceId, isServer: servers[source] ?? false, position };
      const call = readCall(origin, UTF8.decode(bodies.subarray(start, end)), rules);
      if (call) calls.push(call);
    }
    start = end;
  }
  return calls.sort((a, b) => a.position - b.position);
}

const UTF8 = new TextDecoder();
