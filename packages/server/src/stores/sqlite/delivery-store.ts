import pLimit, { type LimitFunction } from 'p-limit';
import type { Claimed, Retry } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { EventLog } from '../../log/contract.ts';
import type { Claim, DeliveryStore } from '../../record/contract.ts';
import { replays, saveReplay } from '../relational/documents.ts';
import type { Sql } from '../relational/sql.ts';
import type { SqliteWorld } from './world.ts';

/** Outcomes, retry queue and counts in SQLite partitions; see record/contract.ts for what it promises. */
export function sqliteDeliveries(world: SqliteWorld, sql: Sql, log: Pick<EventLog, 'fetch'>): DeliveryStore {
  const { committer, clock } = world;
  const writer = world.writer.remote;
  const laneReader = world.laneReader.remote;
  const queryReader = world.queryReader.remote;
  /** Claimed from the retry queue and not settled or released yet, by destination. A crash forgets it, which frees them. */
  const claimed = new Map<string, Set<Position>>();
  const claims = new Map<string, LimitFunction>();

  function release(ended: readonly Claimed[]): void {
    for (const { destinationId, entry } of ended) claimed.get(destinationId)?.delete(entry.position);
  }

  async function claim(destinationId: string, now: number, max: number): Promise<Claim> {
    const taken = claimed.get(destinationId) ?? new Set();
    claimed.set(destinationId, taken);
    // The rows may be older than a delivery result that is committed meanwhile: what is claimed now counts, not then.
    // One row more than can be taken tells when the next is due.
    const free = await laneReader.retryQueue(destinationId, max + 1, [...taken]);
    const due = free.slice(0, max).filter(({ dueAt }) => dueAt <= now);
    const entries = await log.fetch(due.map(({ seq }) => seq));
    const items: Retry[] = [];
    for (const [i, { laneId, rounds, firstAt, urlsLeft, isReplay }] of due.entries()) {
      const entry = entries[i];
      // Retention dropped it after the retry queue was read: a message of a removed lane, which is not needed.
      if (!entry) continue;
      taken.add(entry.position);
      items.push({ laneId, destinationId, entry, rounds, firstAt, urlsLeft, isReplay });
    }
    return { items, nextDueAt: free[due.length]?.dueAt ?? null };
  }

  return {
    async settle(batch) {
      if (batch.length === 0) return;
      await committer.settle(batch);
      release(batch);
    },
    /** One claim of a destination after the other: two that read the same rows would hand out the same messages. */
    claimDue(destinationId, now, max) {
      const inTurn = claims.get(destinationId) ?? pLimit(1);
      claims.set(destinationId, inTurn);
      return inTurn(() => claim(destinationId, now, max));
    },
    release,
    counts: writer.counts,
    async events(query) {
      const { messageId, sourceId } = query;
      if (messageId === null || query.match === 'prefix') return queryReader.events.search(query);
      // The index of message ids is the writer's: it is what tells duplicates.
      return queryReader.events.among(await writer.locating.all(messageId, sourceId), query);
    },
    oldestWaiting: queryReader.oldestWaiting,
    list: queryReader.deliveries.list,
    deliveriesOf: queryReader.deliveries.deliveriesOf,
    statesOf: queryReader.deliveries.statesOf,
    candidates: queryReader.deliveries.candidates,
    hasten: writer.hasten,
    replayResults: writer.replayResults,
    requeue: (destinationId, items, replayId, urlsLeft = null) =>
      writer.requeue(destinationId, items, replayId, urlsLeft && JSON.stringify(urlsLeft), clock.now()),
    saveReplay: (replay) => saveReplay(sql, replay),
    replays: (which) => replays(sql, which),
  };
}
