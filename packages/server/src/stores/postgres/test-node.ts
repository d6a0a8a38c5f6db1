import { HandClock } from '../../../../../test/hand-clock.ts';
import type { LogEntry } from '../../core/event.ts';
import { sampleEvent } from '../../log/conformance.ts';
import type { PostgresDeliveries } from './delivery-store.ts';
import { openPostgresStore, type PostgresStore, type PostgresStoreOptions } from './store.ts';

/** One of several nodes on one database. */
export interface TestNode {
  readonly store: PostgresStore;
  readonly deliveries: PostgresDeliveries;
}

/** Opens a node whose log contains these entries. */
export async function openNode(
  url: string,
  entries: readonly LogEntry[] = [],
  options: Partial<PostgresStoreOptions> = {},
): Promise<TestNode> {
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]));
  const store = await openPostgresStore({ url, clock: new HandClock(), failed: () => undefined, ...options });
  const deliveries = store.deliveries({
    fetch: async (positions) => positions.map((position) => byPosition.get(position)),
    indexed: async () => undefined,
  });
  return { store, deliveries };
}

/** Entries of a source at these positions, received one second after another. */
export function entriesAt(positions: readonly number[], sourceId = 's', receivedAt = 1_800_000_000_000): LogEntry[] {
  return positions.map((position, i) => ({
    ...sampleEvent(sourceId, `${sourceId} ${position}`, { receivedAt: receivedAt + i * 1000 }),
    position,
  }));
}
