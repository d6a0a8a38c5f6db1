import { handOver } from '../core/handed-over.ts';
import type { EntryPage } from '../log/contract.ts';
import { type Call, readCall } from './call.ts';
import type { IdentityRules } from './identity-rules.ts';

/** Entries of the log on their way to the engine's thread. */
export interface EntryColumns extends EntryPage {
  /** For each source, whether it is a server source. */
  readonly servers: readonly boolean[];
}

export function packEntries(page: EntryPage, isServer: (sourceId: string) => boolean): EntryColumns {
  return handOver({ ...page, servers: page.sources.map(isServer) }, [page.bodies.buffer]);
}

/** The calls of the entries for which `isNew` answers true, in the order of the log. */
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
    // An entry without a body was removed.
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
