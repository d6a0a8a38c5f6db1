import type { EventLog } from '../../log/contract.ts';
import type { DeliveryStore, ReplayResult } from '../../record/contract.ts';
import { replays, saveReplay } from '../relational/documents.ts';
import { messageSearch } from '../relational/message-search.ts';
import { countsOf } from './lane-counts.ts';
import { messageTables } from './message-tables.ts';
import { OldestWaiting } from './oldest-waiting.ts';
import { requeue } from './requeuing.ts';
import { type RetryQueue, retryQueue } from './retry-queue.ts';
import { settle } from './settling.ts';
import type { PostgresWorld } from './world.ts';

/** The part of the log that deliveries use. */
export interface DeliveryLog extends Pick<EventLog, 'fetch'> {
  /** Resolves when the index contains everything appended before this call, or lags. */
  indexed(): Promise<void>;
}

const RESULTS = `SELECT -lane AS replay, sum(processed)::bigint AS processed, sum(failed)::bigint AS failed,
    sum(filtered)::bigint AS filtered, sum(retrying)::bigint AS retrying
  FROM lane_counts WHERE lane IN (SELECT -n FROM unnest($1::int[]) n) GROUP BY lane`;

export interface PostgresDeliveries extends DeliveryStore, Pick<RetryQueue, 'due' | 'forget' | 'idle'> {}

/** Delivery results, retry queue and counts in PostgreSQL. See record/contract.ts for the promises. */
export function postgresDeliveries(world: PostgresWorld, log: DeliveryLog): PostgresDeliveries {
  const { queries, sql, dictionary } = world;
  const { settled, ...queue } = retryQueue(world, log);
  const oldest = new OldestWaiting(queries, dictionary);
  const messages = messageSearch(messageTables(queries, dictionary));
  return {
    ...queue,
    ...messages,
    async settle(batch) {
      if (batch.length === 0) return;
      await settle(world, batch);
      settled(batch);
    },
    async counts(destinationIds) {
      await log.indexed();
      return countsOf(queries, await dictionary.known(destinationIds));
    },
    async oldestWaiting(destinationIds) {
      await log.indexed();
      return oldest.of(destinationIds);
    },
    async events(query) {
      await log.indexed();
      return messages.events(query);
    },
    async replayResults(replayIds) {
      const numbers = await dictionary.known(replayIds);
      const rows = await queries.query<ReplayResult & { replay: number }>(RESULTS, [numbers]);
      const idOf = await dictionary.ids(numbers);
      return new Map(rows.map(({ replay, ...result }) => [idOf(replay), result]));
    },
    requeue: (...asked) => requeue(world, ...asked),
    async candidates(query) {
      await log.indexed();
      return messages.candidates(query);
    },
    saveReplay: (replay) => saveReplay(sql, replay),
    replays: (which) => replays(sql, which),
  };
}
