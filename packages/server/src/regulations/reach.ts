import type { Clock } from '../core/clock.ts';
import type { Position } from '../core/event.ts';
import type { Reached } from '../core/reached.ts';
import type { Erasure, FoundPage } from './contract.ts';

/** What a regulation would reach. */
export interface Reach {
  readonly persons: number;
  readonly ids: number;
  readonly others: Reached['others'];
  /** Number of events by source; all 0 if there are too many ids to search for. */
  readonly sources: ReadonlyMap<string, number>;
  readonly events: number;
  /** Requested ids that no person and no event has; null if not all events were searched. */
  readonly unknown: readonly string[] | null;
  /** Whether all events were searched within `REACH_MS`. */
  readonly complete: boolean;
}

/** The longest time that one question searches events, milliseconds. */
const REACH_MS = 2_000;

/** What a regulation of these users would reach if it began now. */
export async function reachOf(userIds: readonly string[], { erasure, profiles, clock }: ReachSources): Promise<Reach> {
  const { persons, others, ids, anonymousIds, count, sources: seen } = await profiles.reach(userIds);
  const known = { persons, others, ids: count };
  const sources = new Map(seen.map((sourceId) => [sourceId, 0]));
  if (count > ids.length) return { ...known, sources, events: 0, unknown: null, complete: false };
  const theirs = [...new Set([...userIds, ...ids])];
  const through = await erasure.end();
  const until = clock.now() + REACH_MS;
  const met = new Set(ids);
  let after: Position | null = 0;
  while (after !== null && clock.now() < until) {
    const { events, next }: FoundPage = await erasure.find(theirs, after, through, anonymousIds);
    for (const { id } of events) met.add(id);
    for (const [, [event]] of Map.groupBy(events, ({ position }) => position)) {
      if (event) sources.set(event.sourceId, (sources.get(event.sourceId) ?? 0) + 1);
    }
    after = next;
  }
  const events = [...sources.values()].reduce((sum, each) => sum + each, 0);
  const unknown = after === null ? userIds.filter((id) => !met.has(id)) : null;
  return { ...known, sources, events, unknown, complete: after === null };
}

interface ReachSources {
  readonly erasure: Pick<Erasure, 'end' | 'find'>;
  readonly profiles: { readonly reach: (userIds: readonly string[]) => Promise<Reached> };
  readonly clock: Clock;
}
