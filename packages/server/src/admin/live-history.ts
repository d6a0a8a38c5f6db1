import type { LogEntry } from '../core/event.ts';
import type { EventLog } from '../log/contract.ts';
import type { DeliveryStore } from '../record/contract.ts';
import type { LiveFilter } from './live-filter.ts';

export interface LiveHistory {
  readonly log: Pick<EventLog, 'fetch'>;
  readonly deliveries: Pick<DeliveryStore, 'events'>;
}

/** So many events a stream begins with, and so many pages are looked through for them. */
const MOST = 100;
const PAGES = 10;

/** The last events that pass, oldest first. A rare one may be further back than what is looked through. */
export async function lastOf(
  { log, deliveries }: LiveHistory,
  filter: LiveFilter,
  passes: (entry: LogEntry) => boolean,
): Promise<readonly LogEntry[]> {
  const { sourceId = null, type = null, event = null, userId = null } = filter;
  const found: LogEntry[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < PAGES && found.length < MOST; page++) {
    const query = { messageId: null, sourceId, type, event, userId, from: null, to: null, cursor, limit: MOST };
    const { items, next } = await deliveries.events(query);
    const entries = await log.fetch(items.map(({ position }) => position));
    // One without a body was removed.
    found.push(
      ...entries.filter((entry) => entry !== undefined).filter((entry) => entry.body.byteLength > 0 && passes(entry)),
    );
    if (next === null) break;
    cursor = next;
  }
  return found.slice(0, MOST).toReversed();
}
