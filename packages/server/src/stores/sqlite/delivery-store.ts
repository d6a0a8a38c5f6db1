import pLimit, { type LimitFunction } from 'p-limit';
import type { Clock } from '../../core/clock.ts';
import type { DeliveryResult, Retry } from '../../core/delivery.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import type {
  Claim,
  DeliveryStore,
  EventPage,
  EventQuery,
  LaneCountsOf,
  Replay,
  Requeued,
} from '../../record/contract.ts';
import type { Thread } from '../../threads/thread.ts';
import { replays, saveReplay, type WhichReplays } from '../relational/documents.ts';
import type { Sql } from '../relational/sql.ts';
import type { Committer } from './committer.ts';
import type { Reader } from './reader.ts';
import type { Writer } from './writer.ts';

export interface SqliteDeliveryStoreOptions {
  readonly writer: Thread<Writer>;
  readonly laneReader: Thread<Reader>;
  readonly queryReader: Thread<Reader>;
  readonly sql: Sql;
  readonly committer: Committer;
  readonly log: { fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]> };
  readonly clock: Clock;
}

/** Outcomes, retry queue and counts in SQLite partitions; see record/contract.ts for what it promises. */
export class SqliteDeliveryStore implements DeliveryStore {
  readonly oldestWaiting: DeliveryStore['oldestWaiting'];
  readonly list: DeliveryStore['list'];
  readonly deliveriesOf: DeliveryStore['deliveriesOf'];
  readonly statesOf: DeliveryStore['statesOf'];
  readonly replayResults: DeliveryStore['replayResults'];
  readonly candidates: DeliveryStore['candidates'];
  readonly hasten: DeliveryStore['hasten'];
  readonly #options: SqliteDeliveryStoreOptions;
  /** Claimed from the retry queue and not settled or released yet, by destination. A crash forgets it, which frees them. */
  readonly #claimed = new Map<string, Set<Position>>();
  readonly #claims = new Map<string, LimitFunction>();

  constructor(options: SqliteDeliveryStoreOptions) {
    this.#options = options;
    const { deliveries, oldestWaiting } = options.queryReader.remote;
    this.oldestWaiting = oldestWaiting;
    this.list = deliveries.list;
    this.deliveriesOf = deliveries.deliveriesOf;
    this.statesOf = deliveries.statesOf;
    this.candidates = deliveries.candidates;
    this.hasten = options.writer.remote.hasten;
    this.replayResults = options.writer.remote.replayResults;
  }

  async settle(batch: readonly DeliveryResult[]): Promise<void> {
    if (batch.length === 0) return;
    await this.#options.committer.settle(batch);
    for (const { destinationId, entry } of batch) this.#claimed.get(destinationId)?.delete(entry.position);
  }

  /** One claim of a destination after the other: two that read the same rows would hand out the same messages. */
  claimDue(destinationId: string, now: number, max: number): Promise<Claim> {
    const inTurn = this.#claims.get(destinationId) ?? pLimit(1);
    this.#claims.set(destinationId, inTurn);
    return inTurn(() => this.#claim(destinationId, now, max));
  }

  async #claim(destinationId: string, now: number, max: number): Promise<Claim> {
    const claimed = this.#claimedOf(destinationId);
    // The rows may be older than a delivery result that is committed meanwhile: what is claimed now counts, not then.
    const claimedBefore = new Set(claimed);
    // One row more than can be taken tells when the next is due.
    const rows = await this.#options.laneReader.remote.retryQueue(destinationId, max + claimed.size + 1);
    const free = rows.filter(({ seq }) => !claimedBefore.has(seq));
    const due = free.slice(0, max).filter(({ dueAt }) => dueAt <= now);
    const entries = await this.#options.log.fetch(due.map(({ seq }) => seq));
    const items: Retry[] = [];
    for (const [i, { lane, rounds, firstAt, urlsLeft }] of due.entries()) {
      const entry = entries[i];
      // Retention dropped it after the retry queue was read: a message of a removed lane, which is not needed.
      if (!entry) continue;
      claimed.add(entry.position);
      items.push({ laneId: lane, destinationId, entry, rounds, firstAt, urlsLeft });
    }
    return { items, nextDueAt: free[due.length]?.dueAt ?? null };
  }

  release(retries: readonly Retry[]): void {
    for (const { destinationId, entry } of retries) this.#claimed.get(destinationId)?.delete(entry.position);
  }

  async counts(destinationIds: readonly string[]): Promise<readonly LaneCountsOf[]> {
    const tallies = await this.#options.writer.remote.counts(destinationIds);
    return tallies.map(({ lane, source, destination, accepted, processed, failed, filtered, retrying }) => ({
      laneId: lane,
      sourceId: source,
      destinationId: destination,
      counts: { accepted, processed, failed, filtered, retrying, waiting: accepted - processed - failed - filtered },
    }));
  }

  async events(query: EventQuery): Promise<EventPage> {
    const { messageId, sourceId } = query;
    const { writer, queryReader } = this.#options;
    // The index of message ids is the writer's: it is what tells duplicates.
    const isLookedUp = messageId !== null && query.match !== 'prefix';
    const seqs = !isLookedUp ? null : await writer.remote.locateAll(messageId, sourceId);
    return queryReader.remote.events(query, seqs);
  }

  requeue(
    ...[destinationId, items, replayId, urlsLeft = null]: Parameters<DeliveryStore['requeue']>
  ): Promise<Requeued> {
    return this.#options.writer.remote.requeue(
      { destinationId, replayId, now: this.#options.clock.now(), urlsLeft: urlsLeft && JSON.stringify(urlsLeft) },
      items.map(({ position }) => position),
      items.map(({ dueAt }) => dueAt),
    );
  }

  saveReplay(replay: Replay): Promise<boolean> {
    return saveReplay(this.#options.sql, replay);
  }

  replays(which?: WhichReplays): Promise<readonly Replay[]> {
    return replays(this.#options.sql, which);
  }

  #claimedOf(destinationId: string): Set<Position> {
    const claimed = this.#claimed.get(destinationId) ?? new Set();
    this.#claimed.set(destinationId, claimed);
    return claimed;
  }
}
