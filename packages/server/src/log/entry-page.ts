import type { LogEntry } from '../core/event.ts';
import { handOver } from '../core/handed-over.ts';
import type { EntryPage } from './contract.ts';

/** The fields of an entry that a page has. */
export type PagedEntry = Pick<LogEntry, 'position' | 'sourceId' | 'receivedAt' | 'body'>;

/** A page of these entries, in the given order. Its bodies move with it to another thread. */
export function pageOf(entries: readonly PagedEntry[]): EntryPage {
  const sources = new Map<string, number>();
  const sourceOf = new Uint32Array(entries.length);
  const positions = new Float64Array(entries.length);
  const receivedAt = new Float64Array(entries.length);
  const ends = new Uint32Array(entries.length);
  const bodies = new Uint8Array(entries.reduce((sum, { body }) => sum + body.byteLength, 0));
  let end = 0;
  for (const [i, entry] of entries.entries()) {
    const source = sources.get(entry.sourceId) ?? sources.size;
    sources.set(entry.sourceId, source);
    sourceOf[i] = source;
    positions[i] = entry.position;
    receivedAt[i] = entry.receivedAt;
    bodies.set(entry.body, end);
    end += entry.body.byteLength;
    ends[i] = end;
  }
  return handOver({ sources: [...sources.keys()], sourceOf, positions, receivedAt, bodies, ends }, [bodies.buffer]);
}
