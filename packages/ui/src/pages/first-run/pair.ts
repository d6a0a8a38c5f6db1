import type { Destination, Source } from '../../../../server/src/admin/contract.ts';

/** A source with a destination that gets its calls. */
export interface Pair {
  readonly source: Source;
  readonly destination: Destination;
}

/** The pair that a test event goes through: one that is switched on, where there is one. Null when nothing is connected. */
export function pairOf(sources: readonly Source[], destinations: readonly Destination[]): Pair | null {
  const pairs = destinations.flatMap((destination) =>
    sources.filter(({ id }) => destination.sourceIds.includes(id)).map((source) => ({ source, destination })),
  );
  return pairs.find(({ source, destination }) => source.enabled && destination.enabled) ?? pairs[0] ?? null;
}
