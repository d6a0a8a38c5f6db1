import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import pLimit from 'p-limit';
import type { Position } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import { CONSUMER_NOT_FOUND, isPassing, nullOn, STREAM_NOT_FOUND } from './failure.ts';
import { consumerOf, laneOf } from './names.ts';
import { seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** How many requests run at a time: a start with ten thousand lanes must not send ten thousand at once. */
const MOST_AT_ONCE = 32;
/** Batches of one lane that may be unsettled at a time, on all nodes together. */
const MOST_UNSETTLED = 8_192;
/** A consumer that does not answer for this long, or for `ackWait` if that is longer, is made again (milliseconds). An election takes less. */
const LEADERLESS_MS = 10_000;

type ConsumersWorld = Pick<StreamWorld, 'link' | 'names' | 'ackWait' | 'report'>;

/**
 * The durable consumers of the lanes. They keep how far a lane is, and which batches are unsettled. A consumer can be lost and
 * made again, because the deliveries tell what is settled. The description of such a consumer says up to which batch the index
 * must be asked.
 */
export class LaneConsumers {
  readonly #world: ConsumersWorld;
  readonly #settledThrough: (laneId: number) => Promise<Position>;
  /** Since when (`performance.now`) the consumers of these lanes do not answer although their streams do. */
  readonly #silentSince = new Map<number, number>();
  readonly #inTurn = pLimit(MOST_AT_ONCE);
  readonly #ensuring = new Map<number, Promise<number>>();

  /** `settledThrough`: see StreamIndex. */
  constructor(world: ConsumersWorld, settledThrough: (laneId: number) => Promise<Position>) {
    this.#world = world;
    this.#settledThrough = settledThrough;
  }

  streamOf({ sourceId }: Lane): string {
    const { names } = this.#world;
    return names.stream(names.shardOf(sourceId));
  }

  /**
   * Makes the lane's consumer if there is none; it begins with the first batch that may be unsettled. Answers the last batch
   * that the consumer may deliver although it was settled before; 0 if it delivers no such batch.
   */
  ensure(lane: Lane): Promise<number> {
    const before = this.#ensuring.get(lane.id);
    if (before) return before;
    const ensuring = this.#inTurn(() => this.#make(lane)).finally(() => this.#ensuring.delete(lane.id));
    this.#ensuring.set(lane.id, ensuring);
    return ensuring;
  }

  /** The state of a lane's consumer, for all nodes together. */
  state(lane: Lane): Promise<ConsumerInfo> {
    return this.#inTurn(() => this.#jsm.consumers.info(this.streamOf(lane), consumerOf(lane.id)));
  }

  async remove(lane: Lane): Promise<void> {
    this.#silentSince.delete(lane.id);
    await this.#ensuring.get(lane.id)?.catch(() => undefined);
    await this.#inTurn(() => this.#jsm.consumers.delete(this.streamOf(lane), consumerOf(lane.id)).catch(absent));
  }

  /** The lanes of a shard that have a consumer. */
  async laneIds(shard: number): Promise<number[]> {
    const ids: number[] = [];
    for await (const { name } of this.#jsm.consumers.list(this.#world.names.stream(shard))) {
      const id = laneOf(name);
      if (id !== undefined) ids.push(id);
    }
    return ids;
  }

  async removeOf(shard: number, laneId: number): Promise<void> {
    await this.#jsm.consumers.delete(this.#world.names.stream(shard), consumerOf(laneId)).catch(absent);
  }

  get #jsm(): JetStreamManager {
    return this.#world.link.jsm;
  }

  async #make(lane: Lane): Promise<number> {
    const { ackWait } = this.#world;
    const { consumers, streams } = this.#jsm;
    const stream = this.streamOf(lane);
    const asked = consumers.info(stream, consumerOf(lane.id)).catch(absent);
    const there = await asked.catch((error: unknown) => this.#unanswered(lane, error));
    this.#silentSince.delete(lane.id);
    if (there) {
      // With another ack wait, the consumer would take batches from nodes that live.
      const ack_wait = nanos(ackWait);
      if (there.config.ack_wait !== ack_wait) await consumers.update(stream, consumerOf(lane.id), { ack_wait });
      return Number(there.config.description?.split(' ').at(-1) ?? 0);
    }
    // The batch of the next position. A lane that was moved may begin in the middle of a batch, or before the first batch, which has number 1.
    const start = Math.max(1, seqOf(Math.max(await this.#settledThrough(lane.id), lane.after) + 1));
    const last = (await streams.info(stream)).state.last_seq;
    const askedThrough = last < start ? 0 : last;
    await consumers.add(stream, {
      durable_name: consumerOf(lane.id),
      description: `settled packs may come again up to ${askedThrough}`,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWait),
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: start,
      filter_subject: this.#world.names.events(lane.sourceId),
      max_ack_pending: MOST_UNSETTLED,
      max_deliver: -1,
    });
    return askedThrough;
  }

  /**
   * Handles a consumer that does not answer. If a server dies, a consumer may lose its leader for good although its stream has
   * one: after a while it is deleted, to be made again.
   *
   * @throws always: the next call finds what exists then.
   */
  async #unanswered(lane: Lane, error: unknown): Promise<never> {
    const { consumers, streams } = this.#jsm;
    const stream = this.streamOf(lane);
    const info = isPassing(error) ? await streams.info(stream).catch(() => null) : null;
    if (info?.cluster?.leader === undefined) {
      this.#silentSince.delete(lane.id);
      throw error;
    }
    const now = performance.now();
    const since = this.#silentSince.get(lane.id) ?? now;
    this.#silentSince.set(lane.id, since);
    if (now - since < Math.max(LEADERLESS_MS, this.#world.ackWait)) throw error;
    this.#silentSince.delete(lane.id);
    const seconds = Math.round((now - since) / 1_000);
    const words = `The consumer of lane ${lane.id} has not answered for ${seconds} s, and its stream does; it is made again.`;
    this.#world.report(new Error(words, { cause: error }));
    await consumers.delete(stream, consumerOf(lane.id));
    throw error;
  }
}

const absent = nullOn(CONSUMER_NOT_FOUND, STREAM_NOT_FOUND);
