import type { Clock } from '../../core/clock.ts';
import type { DeliveryResult, Retry } from '../../core/delivery.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import type {
  CandidatePage,
  Claim,
  Delivery,
  DeliveryPage,
  DeliveryQuery,
  DeliveryStateOf,
  DeliveryStore,
  EventPage,
  EventQuery,
  LaneCountsOf,
  Replay,
  ReplayQuery,
  ReplayResult,
  Requeued,
} from '../../record/contract.ts';
import { replays, saveReplay, type WhichReplays } from '../relational/documents.ts';
import type { Names } from '../relational/names.ts';
import type { Sql } from '../relational/sql.ts';
import { searchCandidates } from './candidate-search.ts';
import type { Database } from './database.ts';
import { deliveriesOf, listDeliveries, statesOf } from './delivery-search.ts';
import { searchEvents } from './event-search.ts';
import { countsOf } from './lane-counts.ts';
import type { Node } from './node.ts';
import { OldestWaiting } from './oldest-waiting.ts';
import type { Partitions } from './partitions.ts';
import { requeue } from './requeuing.ts';
import { RetryQueue } from './retry-queue.ts';
import { Settling } from './settling.ts';

export interface PostgresDeliveryStoreOptions {
  /** For what deliveries wait for. */
  readonly database: Database;
  /** For what people ask, so that a long search delays no delivery. */
  readonly queries: Database;
  /** Over `database`. */
  readonly sql: Sql;
  readonly names: Names;
  readonly partitions: Partitions;
  readonly node: Node;
  /** Whether the log can be read. */
  readonly isFit: () => boolean;
  /** Where the bodies are. */
  readonly log: {
    fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]>;
    indexed(): Promise<void>;
  };
  readonly clock: Clock;
}

/** Rows of a lane's counts: so many nodes write them without waiting for each other. */
export const SLOTS = 16;

const RESULTS = `SELECT -lane AS replay, sum(processed)::bigint AS processed, sum(failed)::bigint AS failed,
    sum(filtered)::bigint AS filtered, sum(retrying)::bigint AS retrying
  FROM lane_counts WHERE lane IN (SELECT -n FROM unnest($1::int[]) n) GROUP BY lane`;

/** Outcomes, retry queue and counts in PostgreSQL; see record/contract.ts for what it promises. */
export class PostgresDeliveryStore implements DeliveryStore {
  readonly #options: PostgresDeliveryStoreOptions;
  readonly #settling: Settling;
  readonly #retryQueue: RetryQueue;
  readonly #oldest: OldestWaiting;
  readonly #slot: number;

  constructor(options: PostgresDeliveryStoreOptions) {
    const { database, queries, names, partitions, node, log, isFit } = options;
    this.#options = options;
    this.#slot = node.id % SLOTS;
    this.#settling = new Settling({ database, names, partitions, slot: this.#slot });
    this.#retryQueue = new RetryQueue({ database, names, node, log, isFit });
    this.#oldest = new OldestWaiting(queries, names);
  }

  async settle(batch: readonly DeliveryResult[]): Promise<void> {
    if (batch.length === 0) return;
    await this.#settling.settle(batch);
    this.#retryQueue.settled(batch);
  }

  claimDue(destinationId: string, now: number, max: number): Promise<Claim> {
    return this.#retryQueue.claimDue(destinationId, now, max);
  }

  release(retries: readonly Retry[]): void {
    this.#retryQueue.release(retries);
  }

  /** Destinations whose retry queue has messages that are due and that no node holds; see RetryQueue.due. */
  due(now: number): Promise<readonly string[]> {
    return this.#retryQueue.due(now);
  }

  async counts(destinationIds: readonly string[]): Promise<readonly LaneCountsOf[]> {
    const { queries, names, log } = this.#options;
    await log.indexed();
    return countsOf(queries, await names.known(destinationIds));
  }

  async oldestWaiting(destinationIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    await this.#options.log.indexed();
    return this.#oldest.of(destinationIds);
  }

  list(query: DeliveryQuery): Promise<DeliveryPage> {
    return listDeliveries(this.#options.queries, this.#options.names, query);
  }

  async events(query: EventQuery): Promise<EventPage> {
    await this.#options.log.indexed();
    return searchEvents(this.#options.queries, this.#options.names, query);
  }

  deliveriesOf(position: Position): Promise<readonly Delivery[]> {
    return deliveriesOf(this.#options.queries, this.#options.names, position);
  }

  statesOf(positions: readonly Position[]): Promise<readonly DeliveryStateOf[]> {
    return statesOf(this.#options.queries, this.#options.names, positions);
  }

  async replayResults(replayIds: readonly string[]): Promise<ReadonlyMap<string, ReplayResult>> {
    const { queries, names } = this.#options;
    const numbers = await names.known(replayIds);
    const rows = await queries.query<ReplayResult & { replay: number }>(RESULTS, [numbers]);
    const known = await names.names(numbers);
    return new Map(rows.map(({ replay, ...result }) => [known.get(replay) ?? '', result]));
  }

  hasten(destinationId: string, now: number, of: number | readonly Position[]): Promise<number> {
    return this.#retryQueue.hasten(destinationId, now, of);
  }

  requeue(...asked: Parameters<DeliveryStore['requeue']>): Promise<Requeued> {
    const { database, names, clock } = this.#options;
    return requeue({ database, names, slot: this.#slot }, clock.now(), ...asked);
  }

  async candidates(query: ReplayQuery): Promise<CandidatePage> {
    await this.#options.log.indexed();
    return searchCandidates(this.#options.queries, this.#options.names, query);
  }

  saveReplay(replay: Replay): Promise<boolean> {
    return saveReplay(this.#options.sql, replay);
  }

  replays(which?: WhichReplays): Promise<readonly Replay[]> {
    return replays(this.#options.sql, which);
  }

  /** These events were removed. */
  forget(positions: ReadonlySet<Position>): void {
    this.#retryQueue.forget(positions);
  }

  /** Resolves when no statement of the retry queue is under way. */
  idle(): Promise<void> {
    return this.#retryQueue.idle();
  }
}
