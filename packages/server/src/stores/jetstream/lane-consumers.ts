import { AckPolicy, type ConsumerInfo, DeliverPolicy, type JetStreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import pLimit from 'p-limit';
import type { Position } from '../../core/event.ts';
import type { Lane } from '../../core/lane.ts';
import { CONSUMER_NOT_FOUND, isPassing, nullOn, STREAM_NOT_FOUND } from './failure.ts';
import { consumerOf, laneOf } from './names.ts';
import { seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** What is asked of the servers at a time: a start with ten thousand lanes must not be ten thousand questions at once. */
const MOST_AT_ONCE = 32;
/** Batches of one lane that may be unsettled on all nodes together. */
const MOST_UNSETTLED = 8_192;
/** A consumer that is silent this long, or `ackWait` where that is longer, is made again (milliseconds): an election takes less. */
const LEADERLESS_MS = 10_000;

type ConsumersWorld = Pick<StreamWorld, 'link' | 'names' | 'ackWait' | 'report'>;

/**
 * The durable consumers of the lanes. What they keep is how far a lane is, and which batches are unsettled. It can be lost
 * and made again: what is settled is known from the deliveries. So a consumer that had to be made again says, in its
 * description, up to where its batches must be asked for there.
 */
export class LaneConsumers {
  readonly #world: ConsumersWorld;
  readonly #settledThrough: (laneId: number) => Promise<Position>;
  /** Since when (`performance.now`) the consumers of these lanes have not answered, though their streams did. */
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
   * Sees to it that the lane has its consumer. Answers up to which batch it may hand out what was settled long ago; 0 where
   * it can't. Where it is made, it begins with the first batch that may not be settled.
   */
  ensure(lane: Lane): Promise<number> {
    const before = this.#ensuring.get(lane.id);
    if (before) return before;
    const ensuring = this.#inTurn(() => this.#make(lane)).finally(() => this.#ensuring.delete(lane.id));
    this.#ensuring.set(lane.id, ensuring);
    return ensuring;
  }

  /** How far a lane's consumer is, of all nodes together. */
  state(lane: Lane): Promise<ConsumerInfo> {
    return this.#inTurn(() => this.#jsm.consumers.info(this.streamOf(lane), consumerOf(lane.id)));
  }

  async remove(lane: Lane): Promise<void> {
    this.#silentSince.delete(lane.id);
    await this.#ensuring.get(lane.id)?.catch(() => undefined);
    await this.#inTurn(() => this.#jsm.consumers.delete(this.streamOf(lane), consumerOf(lane.id)).catch(absent));
  }

  /** Lanes of a shard that have a consumer. */
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
      // One that was made with another wait would take batches from nodes that live.
      const ack_wait = nanos(ackWait);
      if (there.config.ack_wait !== ack_wait) await consumers.update(stream, consumerOf(lane.id), { ack_wait });
      return Number(there.config.description?.split(' ').at(-1) ?? 0);
    }
    // That of the next position: a lane that was moved may begin in the middle of a batch, or before the first, which is number 1.
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
   * A consumer may lose its leader for good where a server dies, though its stream has one: after a while it is made again.
   *
   * @throws always: the next call finds what there is then.
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
