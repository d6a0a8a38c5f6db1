import pLimit, { type LimitFunction } from 'p-limit';
import type { Claimed, Retry } from '../../core/delivery.ts';
import type { Position } from '../../core/event.ts';
import type { EventLog } from '../../log/contract.ts';
import type { Claim, DeliveryStore } from '../../record/contract.ts';
import { replays, saveReplay } from '../relational/documents.ts';
import type { Sql } from '../relational/sql.ts';
import type { SqliteWorld } from './world.ts';

/** Delivery results, retry queue and counts in SQLite partitions. See record/contract.ts for the promises. */
export function sqliteDeliveries(world: SqliteWorld, sql: Sql, log: Pick<EventLog, 'fetch'>): DeliveryStore {
  const { committer, clock } = world;
  const writer = world.writer.remote;
  const laneReader = world.laneReader.remote;
  const queryReader = world.queryReader.remote;
  /**
   * Messages that no claim may hand out, by destination: those claimed, until they are settled or released, and those that a
   * commit under way puts into the retry queue: readers see them before it has ended. A crash forgets them, so they are free again.
   */
  const claimed = new Map<string, Set<Position>>();
  const claims = new Map<string, LimitFunction>();

  function release(ended: readonly Claimed[]): void {
    for (const { destinationId, entry } of ended) claimed.get(destinationId)?.delete(entry.position);
  }

  function takenOf(destinationId: string): Set<Position> {
    const taken = claimed.get(destinationId) ?? new Set();
    claimed.set(destinationId, taken);
    return taken;
  }

  async function claim(destinationId: string, now: number, max: number): Promise<Claim> {
    const taken = takenOf(destinationId);
    // The reader may still see a message whose result is being committed. So everything taken at this moment is excluded, and what
    // was taken meanwhile. One row more than `max` tells when the next message is due.
    const rows = await laneReader.retryQueue(destinationId, max + 1, [...taken]);
    const free = rows.filter(({ seq }) => !taken.has(seq));
    const due = free.slice(0, max).filter(({ dueAt }) => dueAt <= now);
    const entries = await log.fetch(due.map(({ seq }) => seq));
    const items: Retry[] = [];
    for (const [i, { laneId, rounds, firstAt, urlsLeft, isReplay }] of due.entries()) {
      const entry = entries[i];
      // Retention dropped the event after the queue was read. So its lane was removed, and its message is not needed.
      if (!entry) continue;
      taken.add(entry.position);
      items.push({ laneId, destinationId, entry, rounds, firstAt, urlsLeft, isReplay });
    }
    return { items, nextDueAt: free[due.length]?.dueAt ?? null };
  }

  return {
    async settle(batch) {
      if (batch.length === 0) return;
      for (const { destinationId, entry, state } of batch)
        if (state === 'retrying') takenOf(destinationId).add(entry.position);
      await committer.settle(batch);
      release(batch);
    },
    /** Claims of one destination run one after the other: two at a time would hand out the same messages. */
    claimDue(destinationId, now, max) {
      const inTurn = claims.get(destinationId) ?? pLimit(1);
      claims.set(destinationId, inTurn);
      return inTurn(() => claim(destinationId, now, max));
    },
    release,
    counts: writer.counts,
    async events(query) {
      const { messageId, sourceId } = query;
      // Only the writer has the index of message ids, which it uses to find duplicates.
      const isWhole = messageId !== null && query.match !== 'prefix';
      const positions = isWhole ? await writer.locating.all(messageId, sourceId) : null;
      return queryReader.messages.events(query, positions);
    },
    oldestWaiting: queryReader.oldestWaiting,
    list: queryReader.messages.list,
    deliveriesOf: queryReader.messages.deliveriesOf,
    statesOf: queryReader.messages.statesOf,
    candidates: queryReader.messages.candidates,
    hasten: writer.hasten,
    replayResults: writer.replayResults,
    requeue: (destinationId, items, replayId, urlsLeft = null) =>
      writer.requeue(destinationId, items, replayId, urlsLeft && JSON.stringify(urlsLeft), clock.now()),
    saveReplay: (replay) => saveReplay(sql, replay),
    replays: (which) => replays(sql, which),
  };
}
