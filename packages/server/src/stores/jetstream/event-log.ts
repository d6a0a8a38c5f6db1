import pLimit from 'p-limit';
import type { LogEntry, NewEvent, Position } from '../../core/event.ts';
import { Fault } from '../../core/fault.ts';
import type { Lane } from '../../core/lane.ts';
import { pause, within } from '../../core/pause.ts';
import { BEYOND_ALL, shardOf } from '../../core/position.ts';
import type {
  AppendResult,
  EntryPage,
  EventLog,
  FollowedPage,
  LaneReader,
  SourceTotals,
  TextPage,
  TextQuery,
} from '../../log/contract.ts';
import { pageOf } from '../../log/entry-page.ts';
import { Follower } from '../../log/follower.ts';
import type { BatchedStream, BatchRange } from '../../log/stream-index.ts';
import { Appender } from './appender.ts';
import { decodeBatch, entriesOf, plainLength } from './batch.ts';
import { BatchReader, type StreamEnds } from './batch-reader.ts';
import { deleteBatches, reduceBatch } from './batch-removal.ts';
import { isPassing, storageFault } from './failure.ts';
import { IndexProgress } from './index-progress.ts';
import { fillIndex, type Lead } from './indexer.ts';
import { LaneConsumers } from './lane-consumers.ts';
import { JetStreamLaneReader, type LaneWorld } from './lane-reader.ts';
import { beginOf, endOf, seqOf } from './position.ts';
import { type Delivered, type Ending, type PullListener, PullRequests } from './pull-requests.ts';
import { inSessions, tailOf } from './stream-tail.ts';
import { searchBatches } from './text-search.ts';
import { Traffic } from './traffic.ts';
import type { StreamWorld } from './world.ts';

/** Interval of the readers' `tick`. */
const TICK_MS = 1_000;
/** While a lane is read, the list of lanes is read again this often: another node may have ended one. */
const LANES_MS = 15_000;
/** Longest time that a close waits for answers of NATS. */
const CLOSE_MS = 2_000;
/** How often callers of `nextAppend` look for new events. */
const LOOK_MS = 100;

/** The log in JetStream's streams. See log/contract.ts for its promises, and ARCHITECTURE.md for how it keeps them. */
export class JetStreamEventLog implements EventLog, BatchedStream, PullListener {
  readonly #world: StreamWorld;
  readonly #appender: Appender;
  readonly #batches: BatchReader;
  readonly #consumers: LaneConsumers;
  readonly #laneWorld: LaneWorld;
  readonly #pulls: PullRequests;
  readonly #lanes = new Map<number, Lane>();
  readonly #readers = new Map<number, JetStreamLaneReader>();
  readonly #followers = new Set<Follower>();
  readonly #ending = new AbortController();
  readonly #leading: (() => Promise<void>)[];
  readonly #progress: IndexProgress;
  readonly #traffic = new Traffic();
  readonly #timer: NodeJS.Timeout;
  #lanesAt = performance.now();
  #refreshing = false;
  /** Runs changes of lanes one after the other. */
  readonly #turns = pLimit(1);

  constructor(world: StreamWorld, lead: Lead) {
    const { link, names, index, report } = world;
    this.#world = world;
    this.#batches = new BatchReader(world);
    this.#progress = new IndexProgress(world, (shard) => refusable(this.#batches.ends(shard)));
    this.#consumers = new LaneConsumers(world, (laneId) => index.settledThrough(laneId));
    this.#appender = new Appender(world);
    this.#pulls = new PullRequests(link, this);
    this.#laneWorld = {
      ...{ ...world, consumers: this.#consumers, pulls: this.#pulls, batches: this.#batches },
      answer: (reply, text) => {
        // Without a connection the answer would be sent too late.
        if (link.isUp) link.nc.publish(reply, text);
      },
      report: (error) => {
        // While NATS is away, the service's health reports that. The lanes need not.
        if (!isPassing(error)) report(error);
      },
      missing: () => this.#refreshSoon(),
    };
    link.onReturn(() => {
      for (const reader of this.#readers.values()) reader.restart();
    });
    const added = (shard: number, seq: number): void => this.#progress.added(shard, seq);
    this.#leading = Array.from({ length: names.shards }, (_, shard) =>
      lead(shard, async (signal) => {
        await this.#sweep(shard);
        await fillIndex({ ...world, added }, shard, signal);
      }),
    );
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  append(events: readonly NewEvent[]): Promise<AppendResult> {
    this.#traffic.add(events.reduce((sum, { body }) => sum + body.byteLength, 0));
    return this.#appender.append(events);
  }

  openLane(sourceId: string, destinationId: string): Promise<Lane> {
    return this.#inTurn(async () => {
      const shard = this.#world.names.shardOf(sourceId);
      const { last } = await this.#batches.ends(shard);
      const lane = await this.#world.index.openLane(sourceId, destinationId, endOf(shard, last));
      this.#know(lane);
      // Not awaited: making a replicated consumer takes half a second, and many lanes can be opened at a time.
      this.#consumers.ensure(lane).catch((error: unknown) => this.#laneWorld.report(error));
      return lane;
    });
  }

  endLane(id: number): Promise<void> {
    return this.#inTurn(async () => {
      const lane = this.#lanes.get(id) ?? (await this.#refresh()).find((each) => each.id === id);
      if (!lane || lane.until !== null) return;
      const last = await this.#batches.lastOf(lane.sourceId);
      await this.#world.index.endLane(id, Math.max(last ?? 0, lane.after));
      // Another node may have ended the lane earlier, at another position.
      await this.#refresh();
    });
  }

  removeLane(id: number): Promise<void> {
    return this.#inTurn(async () => {
      const lane = this.#lanes.get(id) ?? (await this.#refresh()).find((each) => each.id === id);
      await this.#world.index.removeLane(id);
      this.#forget(id);
      if (lane) await this.#consumers.remove(lane);
    });
  }

  lanes(): Promise<readonly Lane[]> {
    return this.#inTurn(() => this.#refresh());
  }

  read(id: number): LaneReader {
    const lane = this.#lanes.get(id);
    if (!lane) throw new Error(`There is no lane ${id}; open it, or list the lanes, before reading it.`);
    const before = this.#readers.get(id);
    before?.close();
    const reader = new JetStreamLaneReader(lane, this.#laneWorld, before);
    this.#readers.set(id, reader);
    return reader;
  }

  fetch(positions: readonly Position[]): Promise<readonly (LogEntry | undefined)[]> {
    return refusable(this.#batches.fetch(positions));
  }

  /** Reads shard by shard. Entries are in the order of their positions: within a source, that is the order of acceptance. */
  scan(after: Position, limit: number, through: Position = BEYOND_ALL): Promise<EntryPage> {
    return refusable(this.#batches.scan(after, limit, through).then(pageOf));
  }

  /** A pause, because appends of other nodes are not notified. */
  nextAppend(): Promise<void> {
    return pause(LOOK_MS);
  }

  async countAfter(after: Position, through: Position): Promise<number> {
    await this.indexed();
    return this.#world.index.countAfter(after, through);
  }

  async follow(signal: AbortSignal): Promise<AsyncIterable<FollowedPage>> {
    const left = new AbortController();
    const follower = new Follower(signal, () => {
      this.#followers.delete(follower);
      left.abort();
    });
    const ends = await this.#ends();
    if (signal.aborted) return follower;
    this.#followers.add(follower);
    const followed = AbortSignal.any([left.signal, this.#ending.signal]);
    for (const [shard, { last }] of ends.entries()) void this.#tail(shard, last, follower, followed);
    return follower;
  }

  async find(messageId: string, sourceIds: readonly string[], owner?: string): Promise<LogEntry | undefined> {
    const isWhole = await this.#progress.indexed();
    const position = await this.#world.index.find(messageId, sourceIds, owner);
    if (position === undefined) {
      if (isWhole) return undefined;
      const text =
        'It is not known yet whether there is such a message: the index of the log lags behind. Ask again later.';
      throw new Fault('storage_unavailable', text, { retryAfter: 5 });
    }
    const [entry] = await this.fetch([position]);
    return entry;
  }

  async search(query: TextQuery): Promise<TextPage> {
    if (query.cursor === null) await this.indexed();
    return refusable(searchBatches(this.#batches, this.#world.index, query, this.#traffic));
  }

  async totals(): Promise<ReadonlyMap<string, SourceTotals>> {
    await this.indexed();
    return this.#world.index.totals();
  }

  /** See IndexProgress.indexed. Counts and searches in the database beside the stream wait for it. */
  async indexed(): Promise<void> {
    await this.#progress.indexed();
  }

  async caughtUp(): Promise<void> {
    await this.#appender.caughtUp();
    await this.#progress.caughtUp();
  }

  batchOf(position: Position): BatchRange {
    const [shard, seq] = [shardOf(position), seqOf(position)];
    return { first: beginOf(shard, seq), last: endOf(shard, seq) };
  }

  reduce(batch: Position, without: ReadonlySet<Position>): Promise<Uint8Array | null | undefined> {
    return refusable(reduceBatch(this.#batches, batch, without));
  }

  forget(batches: readonly Position[], positions: ReadonlySet<Position>): void {
    this.#batches.forget(batches);
    for (const [shard, of] of Map.groupBy(batches, shardOf)) {
      const seqs = new Set(of.map(seqOf));
      for (const reader of this.#readers.values()) if (reader.shard === shard) reader.forget(seqs);
    }
    for (const follower of this.#followers) follower.forget(positions);
  }

  deleteBatches(batches: readonly Position[]): Promise<void> {
    const { link, names } = this.#world;
    return refusable(deleteBatches(link, names, batches));
  }

  async beginnings(): Promise<readonly Position[]> {
    return (await this.#ends()).map(({ first }, shard) => beginOf(shard, first));
  }

  /** Why nothing can be appended to or read from the streams now, in words; null if all is well. */
  trouble(): string | null {
    return this.#world.link.trouble ?? this.#appender.trouble('stream');
  }

  /** Why the index could not be asked, in words; null if it could. */
  indexTrouble(): string | null {
    return this.#appender.trouble('index');
  }

  arrived(message: Delivered): void {
    this.#traffic.add(plainLength(message.data));
    const reader = this.#readers.get(message.laneId)?.asking;
    if (reader) reader.arrived(message);
    else this.#laneWorld.answer(message.reply, '-NAK');
  }

  ended(laneId: number, request: number, ending: Ending): void {
    this.#readers.get(laneId)?.asking.ended(request, ending);
  }

  /** Ends the readers. Resolves when every append is in the stream and this node no longer leads an index. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#appender.close();
    // This node's subscription ends before the readers give batches back, so that the batches do not come to this node again.
    const left = this.#pulls.close();
    for (const reader of this.#readers.values()) reader.leave();
    this.#ending.abort();
    const { link } = this.#world;
    const led = Promise.all([left, ...this.#leading.map((end) => end()), this.#turns(async () => undefined)]);
    // On a link that is down, callers get their answer when the link is closed.
    if (link.isUp) await within(CLOSE_MS, led, () => undefined);
    await link.close();
    await led;
  }

  /** The ends of each shard's stream. */
  #ends(): Promise<StreamEnds[]> {
    const { shards } = this.#world.names;
    return refusable(Promise.all(Array.from({ length: shards }, (_, shard) => this.#batches.ends(shard))));
  }

  /** Passes a shard's events after `last` to a follower, until the signal aborts. */
  #tail(shard: number, last: number, follower: Follower, signal: AbortSignal): Promise<void> {
    const { link, names } = this.#world;
    let reached = last;
    const session = async (): Promise<void> => {
      const tail = { stream: names.stream(shard), from: reached + 1, signal };
      for await (const { seq, data } of tailOf(link, tail)) {
        if (!this.#batches.isForgotten(beginOf(shard, seq))) follower.push(entriesOf(decodeBatch(data), shard, seq));
        reached = seq;
      }
    };
    return inSessions(session, signal, this.#laneWorld.report);
  }

  #tick(): void {
    const now = performance.now();
    for (const reader of this.#readers.values()) reader.tick(now);
    if (this.#readers.size > 0 && now - this.#lanesAt > LANES_MS) this.#refreshSoon();
  }

  /** Removes consumers of lanes that are gone: a node may have died between removing the lane and its consumer. */
  async #sweep(shard: number): Promise<void> {
    try {
      const there = await this.#consumers.laneIds(shard);
      // A lane is made before its consumer. So every lane that has one now is in this list.
      const lanes = new Set((await this.#world.index.lanes()).map(({ id }) => id));
      for (const id of there) if (!lanes.has(id)) await this.#consumers.removeOf(shard, id);
    } catch (error) {
      this.#laneWorld.report(error);
    }
  }

  #refreshSoon(): void {
    if (this.#refreshing) return;
    this.#refreshing = true;
    this.#lanesAt = performance.now();
    // Waits for its turn, so that a lane that is being opened is not missed.
    this.lanes()
      .catch((error: unknown) => this.#world.report(error))
      .finally(() => {
        this.#refreshing = false;
      });
  }

  /** Lists the lanes, and tells their readers about changes. */
  async #refresh(): Promise<readonly Lane[]> {
    const lanes = await this.#world.index.lanes();
    for (const lane of lanes) this.#know(lane);
    const ids = new Set(lanes.map(({ id }) => id));
    for (const id of this.#lanes.keys()) if (!ids.has(id)) this.#forget(id);
    return lanes;
  }

  #know(lane: Lane): void {
    this.#lanes.set(lane.id, lane);
    this.#readers.get(lane.id)?.follow(lane);
  }

  #forget(id: number): void {
    this.#lanes.delete(id);
    this.#readers.get(id)?.leave();
    this.#readers.delete(id);
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    return refusable(this.#turns(run));
  }
}

/** Converts errors of NATS to a Fault: they are refusals, not bugs. */
async function refusable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw isPassing(error) ? storageFault(error) : error;
  }
}
