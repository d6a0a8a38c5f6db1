import type { Attempt, DeliveryResult } from '../../packages/server/src/core/delivery.ts';
import type { Destination } from '../../packages/server/src/core/destination.ts';
import { Breaker } from '../../packages/server/src/deliver/breaker.ts';
import {
  decide,
  endWithout,
  fresh,
  type Message,
  retried,
  verdictOf,
} from '../../packages/server/src/deliver/round.ts';
import { verdict } from '../../packages/server/src/deliver/route.ts';
import type { LaneReader } from '../../packages/server/src/log/contract.ts';
import type { SqliteStore } from '../../packages/server/src/stores/sqlite/store.ts';
import type { Random } from '../simulation/random.ts';
import { answerOf } from './moods.ts';

interface PastLane {
  readonly id: number;
  readonly sourceId: string;
  readonly reader: LaneReader;
}

/** A message and when its turn is, milliseconds since the epoch. */
interface Job {
  readonly message: Message;
  readonly at: number;
}

export interface PastDestinationOptions {
  readonly destination: Destination;
  readonly store: Pick<SqliteStore, 'log' | 'deliveries'>;
  readonly random: Random;
  /** The end of the history, milliseconds since the epoch. */
  readonly end: number;
  /** Is told of everything that was recorded. */
  readonly settled: (result: DeliveryResult) => void;
}

const HOUR = 3_600_000;
const POLICY = { base: 5_000, cap: 600_000, window: 4 * HOUR };

/**
 * What a destination did in the past. Routing, rounds, schedule and breaker decide as they do in the service; only time and
 * the endpoints are played.
 */
export class PastDestination {
  readonly #options: PastDestinationOptions;
  readonly #lanes: readonly PastLane[];
  readonly #breaker = new Breaker(
    () => 1,
    () => 0,
  );
  #jobs: Job[] = [];

  private constructor(options: PastDestinationOptions, lanes: readonly PastLane[]) {
    this.#options = options;
    this.#lanes = lanes;
  }

  static async open(options: PastDestinationOptions): Promise<PastDestination> {
    const { destination, store } = options;
    const lanes: PastLane[] = [];
    for (const sourceId of destination.sourceIds) {
      const { id } = await store.log.openLane(sourceId, destination.id);
      lanes.push({ id, sourceId, reader: store.log.read(id) });
    }
    return new PastDestination(options, lanes);
  }

  /** Takes the events that have come, by source, from its lanes. */
  async take(accepted: ReadonlyMap<string, number>): Promise<void> {
    const { destination, random } = this.#options;
    for (const { id, sourceId, reader } of this.#lanes) {
      let left = accepted.get(sourceId) ?? 0;
      while (left > 0) {
        const entries = await reader.pull(left, AbortSignal.timeout(PULL_MS));
        left -= entries.length;
        for (const entry of entries) {
          this.#jobs.push({ message: fresh(id, destination.id, entry), at: entry.receivedAt + random.int(1, 6) });
        }
      }
    }
  }

  /** Does what is due from ≤ time < to, retries that become due meanwhile among it. */
  async work(from: number, to: number): Promise<void> {
    const held: Job[] = [];
    for (;;) {
      const due = this.#jobs.filter(({ at }) => at < to).sort((a, b) => a.at - b.at);
      if (due.length === 0) break;
      this.#jobs = this.#jobs.filter(({ at }) => at >= to);
      const done: DeliveryResult[] = [];
      for (const job of due) {
        const result = this.#settle(job.message, Math.max(job.at, from));
        if (result === null) held.push(job);
        else done.push(result);
      }
      await this.#record(done);
    }
    this.#jobs.push(...held);
  }

  /** Null while the breaker lets nothing through. */
  #settle(message: Message, at: number): DeliveryResult | null {
    const { destination, random } = this.#options;
    const reason = verdict(message.entry, destination);
    if (reason !== null) return endWithout(message, 'filtered', reason, at);
    if (!this.#breaker.admits(at)) return null;
    const targets = destination.webhooks.filter(({ id }) => message.urlsLeft?.includes(id) ?? true);
    const answers = targets.map(({ id, url }) => ({
      ...{ id, url },
      ...answerOf(url, (this.#options.end - at) / HOUR, random),
    }));
    const attempts = answers.map(({ id, url, ms, outcome: { status, error, detail, answer } }): Attempt => {
      return { webhookId: id, url, at, ms, status, error, detail, answer };
    });
    const result = { startedAt: at, attempts, outcomes: answers, held: [], isResumed: false };
    const now = at + Math.max(...answers.map(({ ms }) => ms));
    if (verdictOf(result) === 'temporary') this.#breaker.failed(now);
    else this.#breaker.alive(now);
    return decide(message, result, now, random.next(), POLICY, destination);
  }

  async #record(results: readonly DeliveryResult[]): Promise<void> {
    await this.#options.store.deliveries.settle(results);
    for (const { id, reader } of this.#lanes) {
      reader.ack(results.filter(({ laneId }) => laneId === id).map(({ entry }) => entry.position));
    }
    for (const result of results) {
      this.#options.settled(result);
      const { state, dueAt } = result;
      if (state === 'retrying' && dueAt !== null)
        this.#jobs.push({ message: retried({ ...result, isReplay: false }), at: dueAt });
    }
  }
}

/** What was accepted is in the lane: a pull that waits so long waits for ever. */
const PULL_MS = 10_000;
