import pLimit from 'p-limit';
import { Bell } from '../../core/bell.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import { isWithinLane, type Lane } from '../../core/lane.ts';
import { unlessAborted } from '../../core/pause.ts';
import type { LaneReader } from '../../log/contract.ts';
import { decodeBatch, entriesOf, plainLength } from './batch.ts';
import type { BatchReader } from './batch-reader.ts';
import { HeldBatches } from './held-batches.ts';
import type { LaneConsumers } from './lane-consumers.ts';
import { consumerOf } from './names.ts';
import { beginOf, seqOf } from './position.ts';
import type { Delivered, Ending, PullRequests } from './pull-requests.ts';
import type { StreamWorld } from './world.ts';

/** What a lane's reader uses of the log. */
export interface LaneWorld extends Omit<StreamWorld, 'clock' | 'appendDeadline' | 'onCommit'> {
  readonly consumers: LaneConsumers;
  readonly pulls: PullRequests;
  readonly batches: BatchReader;
  /** Publishes an answer about a batch to its reply subject. If an answer is lost, it is repeated when the batch is delivered again. */
  readonly answer: (reply: string, text: string) => void;
  /** Called if the consumer is gone. The lane may be gone too. */
  readonly missing: () => void;
}

/** Most batches and bytes per request: enough to keep a busy lane working, few enough to hold little memory. */
const MOST_BATCHES = 64;
const MOST_BYTES = 1024 * 1024;
/** Longest time that a request waits at its server. If the server dies, the request is lost without an answer. */
const LONGEST_WAIT_MS = 15_000;
/** Grace period for a request that the server should have ended. */
const GRACE_MS = 2_000;
/** Answer for a batch about which the index could not be asked: it comes again after this time (nanoseconds). */
const LATER = '-NAK {"delay":1000000000}';
/** Answer for a batch that this version can't read: it comes again later, so that other nodes can take it first. */
const ELSEWHERE = '-NAK {"delay":5000000000}';
const AGAIN = '-NAK';
const DONE = '+ACK';
const PROGRESS = '+WPI';

/**
 * Reads one lane, which other nodes read at the same time. A batch belongs to this process while the process gives signs of
 * life for it; without them, the batch is delivered again, to any node. It is acknowledged once each of its events is.
 *
 * Batches are requested only while a caller pulls. A lane that empties its batches fast requests more at a time. A lane that
 * stands still gives back the batches that it has not begun.
 */
export class JetStreamLaneReader implements LaneReader {
  #lane: Lane;
  readonly #world: LaneWorld;
  readonly #held = new HeldBatches();
  /** Batches with entries that were not returned yet, oldest first. */
  readonly #queue: { readonly seq: number; readonly entries: readonly LogEntry[]; next: number }[] = [];
  /** Runs checks with the index one after the other, so that batches keep their order. */
  readonly #inTurn = pLimit(1);
  #checks = 0;
  /** Up to this batch, the consumer may deliver batches that were settled before. Null until the consumer is known to exist. */
  #settledThrough: number | null = null;
  #ensuring = false;
  #asked = 1;
  #request = 0;
  /** How many batches the current request may still bring; 0 without a request. */
  #outstanding = 0;
  #requestEnds = 0;
  #batchBytes = 0;
  #progressAt = performance.now();
  #pulledAt = performance.now();
  #pulling = false;
  readonly #news = new Bell();
  #drained = false;
  #draining = false;
  #closed = false;
  /** The reader before this one, until its request is over: meanwhile this one asks for nothing. */
  #before: JetStreamLaneReader | undefined;

  /** `before`: the reader of this lane that was closed for this one. */
  constructor(lane: Lane, world: LaneWorld, before?: JetStreamLaneReader) {
    this.#lane = lane;
    this.#world = world;
    this.#before = before;
  }

  async pull(max: number, signal: AbortSignal): Promise<readonly LogEntry[]> {
    this.#pulling = true;
    try {
      for (;;) {
        signal.throwIfAborted();
        const entries = this.#next(max);
        if (entries.length > 0) return entries;
        if (this.#drained || this.#closed) return [];
        this.#ask();
        if (this.#lane.until !== null) void this.#checkDrained();
        await unlessAborted(signal, this.#news.next);
      }
    } finally {
      this.#pulling = false;
      this.#pulledAt = performance.now();
    }
  }

  ack(positions: readonly Position[]): void {
    for (const position of positions) {
      const reply = this.#held.settle(position);
      if (reply !== undefined) this.#world.answer(reply, DONE);
    }
  }

  /** Takes over changes of the lane; it may have ended. */
  follow(lane: Lane): void {
    const ends = this.#lane.until === null && lane.until !== null;
    this.#lane = lane;
    if (!ends) return;
    for (const { entries } of this.#queue) this.#skipOthers(entries);
    void this.#checkDrained();
  }

  get shard(): number {
    return this.#world.names.shardOf(this.#lane.sourceId);
  }

  /** Events were removed from these batches of the shard. What this reader has not returned of them is in the lane's retry queue. */
  forget(seqs: ReadonlySet<number>): void {
    this.#before?.forget(seqs);
    for (const seq of seqs) {
      const reply = this.#held.release(seq);
      if (reply !== undefined) this.#world.answer(reply, DONE);
    }
    const kept = this.#queue.filter(({ seq }) => !seqs.has(seq));
    this.#queue.splice(0, this.#queue.length, ...kept);
    this.#news.ring();
  }

  /** The reader of this lane that what NATS sends is for: this one, or one before it whose request is not over. */
  get asking(): JetStreamLaneReader {
    if (this.#before?.isOver) this.#before = undefined;
    return this.#before?.asking ?? this;
  }

  /** Whether it is closed, and no request brings it anything. */
  get isOver(): boolean {
    return this.#closed && this.#outstanding === 0 && this.asking === this;
  }

  arrived(message: Delivered): void {
    // If a request brought all its batches, the next one may ask for twice as many.
    if (this.#outstanding === 1) this.#asked = Math.min(this.#asked * 2, MOST_BATCHES);
    const isAsked = this.#outstanding > 0;
    if (isAsked) this.#outstanding--;
    if (this.#closed) {
      if (this.#held.has(message.seq)) this.#held.renew(message.seq, message.reply);
      else if (isAsked) this.#held.add(message.seq, message.reply, [beginOf(this.shard, message.seq)]);
      else this.#world.answer(message.reply, AGAIN);
      if (this.#outstanding === 0) this.#giveAllBack();
      return;
    }
    if (this.#isForgotten(message.seq)) {
      this.#world.answer(message.reply, DONE);
      this.#news.ring();
      return;
    }
    const bytes = plainLength(message.data);
    this.#batchBytes = this.#batchBytes === 0 ? bytes : (this.#batchBytes * 7 + bytes) / 8;
    if (this.#held.has(message.seq)) {
      this.#held.renew(message.seq, message.reply);
      return;
    }
    this.#take(message);
  }

  ended(request: number, ending: Ending): void {
    if (request !== this.#request) return;
    this.#outstanding = 0;
    if (this.#closed) {
      this.#giveAllBack();
    } else if (ending === 'refused') {
      // The consumer may be gone, or without a leader. The next tick finds out.
      this.#settledThrough = null;
      this.#world.missing();
    } else if (this.#pulling) {
      this.#ask();
    }
  }

  /** Repeats the request: messages or even the consumer may have been lost. */
  restart(): void {
    this.#before?.restart();
    this.#outstanding = 0;
    this.#settledThrough = null;
    if (this.#closed) this.#giveAllBack();
    if (this.#pulling) this.#ask();
  }

  /** Call it about every second, with the time of `performance.now`. */
  tick(now: number): void {
    this.#before?.tick(now);
    const third = this.#world.ackWait / 3;
    if (now - this.#progressAt >= third) {
      this.#progressAt = now;
      if (!this.#pulling && this.#outstanding === 0 && now - this.#pulledAt >= third) this.#giveBack();
      for (const reply of this.#held.replies()) this.#world.answer(reply, PROGRESS);
    }
    // The request was lost with its server, and the consumer may be a different one by now.
    if (this.#outstanding > 0 && now > this.#requestEnds + GRACE_MS) this.ended(this.#request, 'refused');
    if (this.#pulling) {
      this.#ask();
      if (this.#lane.until !== null) void this.#checkDrained();
    }
  }

  /**
   * Returns nothing from now on. Batches that are not settled go to the next reader, on any node, and in their order: the request
   * under way would bring some of them here again, behind later ones. So they are given back when it is over.
   */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#queue.length = 0;
    this.#news.ring();
    if (this.#outstanding === 0) this.#giveAllBack();
  }

  /** Closes it, and gives everything back at once: nothing that was requested is passed to this reader any more. */
  leave(): void {
    this.#before?.leave();
    this.close();
    this.#outstanding = 0;
    this.#giveAllBack();
  }

  #giveAllBack(): void {
    for (const reply of this.#held.replies()) this.#world.answer(reply, AGAIN);
    this.#held.clear();
  }

  /** Whether an entry belongs to the lane, which may begin and end in the middle of a batch. */
  #isIn({ position }: LogEntry): boolean {
    return isWithinLane(this.#lane, position);
  }

  /** Acknowledges entries outside of the lane. */
  #skipOthers(entries: readonly LogEntry[]): void {
    this.ack(entries.filter((entry) => !this.#isIn(entry)).map(({ position }) => position));
  }

  #isForgotten(seq: number): boolean {
    return this.#world.batches.isForgotten(beginOf(this.shard, seq));
  }

  #next(max: number): LogEntry[] {
    const taken: LogEntry[] = [];
    while (taken.length < max) {
      const [first] = this.#queue;
      if (!first) break;
      const entry = first.entries[first.next++];
      if (!entry) this.#queue.shift();
      else if (this.#isIn(entry)) taken.push(entry);
    }
    return taken;
  }

  /** Requests batches if a caller waits and no request is under way. */
  #ask(): void {
    if (this.#outstanding > 0 || this.#checks > 0 || this.#closed || this.#drained || !this.#world.link.isUp) return;
    if (this.asking !== this) return;
    if (this.#settledThrough === null) {
      void this.#ensure();
      return;
    }
    const { consumers, pulls, ackWait } = this.#world;
    const wait = Math.min(LONGEST_WAIT_MS, Math.max(1_000, ackWait / 2));
    const fitting = this.#batchBytes === 0 ? 1 : Math.max(1, Math.floor(MOST_BYTES / this.#batchBytes));
    const count = Math.min(this.#asked, fitting);
    this.#outstanding = count;
    this.#requestEnds = performance.now() + wait;
    const { id } = this.#lane;
    this.#request = pulls.request(consumers.streamOf(this.#lane), consumerOf(id), id, count, wait);
  }

  async #ensure(): Promise<void> {
    if (this.#ensuring) return;
    this.#ensuring = true;
    try {
      this.#settledThrough = await this.#world.consumers.ensure(this.#lane);
    } catch (error) {
      // The next tick tries again.
      this.#world.report(error);
      return;
    } finally {
      this.#ensuring = false;
    }
    if (this.#pulling) this.#ask();
  }

  #take({ seq, again, reply, data }: Delivered): void {
    let entries: readonly LogEntry[];
    try {
      entries = entriesOf(decodeBatch(data), this.shard, seq);
    } catch (error) {
      // A newer version wrote the batch. A node of that version can read it.
      this.#world.report(error);
      this.#world.answer(reply, ELSEWHERE);
      this.#news.ring();
      return;
    }
    this.#held.add(
      seq,
      reply,
      entries.map(({ position }) => position),
    );
    const asks = again || seq <= (this.#settledThrough ?? Number.MAX_SAFE_INTEGER);
    if (!asks && this.#checks === 0) {
      this.#enqueue(seq, entries);
      return;
    }
    this.#checks++;
    void this.#inTurn(async () => {
      const left = asks ? await this.#unsettled(seq, entries) : entries;
      this.#checks--;
      this.#enqueue(seq, left);
    });
  }

  /**
   * Leaves out entries that have a delivery: a node settled them or put them into the retry queue, and could not acknowledge
   * that. If the index can't be asked, the whole batch is left out and comes again.
   */
  async #unsettled(seq: number, entries: readonly LogEntry[]): Promise<readonly LogEntry[]> {
    try {
      const positions = entries.map(({ position }) => position);
      const taken = await this.#world.index.taken(this.#lane.id, positions);
      this.ack([...taken]);
      return entries.filter(({ position }) => !taken.has(position));
    } catch (error) {
      this.#world.report(error);
      const reply = this.#held.release(seq);
      if (reply !== undefined) this.#world.answer(reply, LATER);
      return [];
    }
  }

  #enqueue(seq: number, entries: readonly LogEntry[]): void {
    if (this.#closed || this.#isForgotten(seq)) return;
    const within = entries.filter((entry) => this.#isIn(entry));
    if (within.length > 0) this.#queue.push({ seq, entries: within, next: 0 });
    this.#skipOthers(entries);
    this.#news.ring();
  }

  /** No caller takes entries. Gives back untouched batches, so that other nodes can take them and memory is free for busy lanes. */
  #giveBack(): void {
    this.#asked = 1;
    for (const { seq, entries, next } of this.#queue.splice(0)) {
      if (next > 0 && next < entries.length) {
        this.#queue.push({ seq, entries, next });
      } else if (next === 0) {
        const reply = this.#held.release(seq);
        if (reply !== undefined) this.#world.answer(reply, AGAIN);
      }
    }
  }

  /**
   * Checks whether a lane that has ended is drained: all its batches were delivered, and none is unsettled on another node. If
   * that node died, this one would have to take its batches.
   */
  async #checkDrained(): Promise<void> {
    const { until, after } = this.#lane;
    if (until === null || this.#draining || this.#drained || this.#closed) return;
    this.#draining = true;
    try {
      this.#drained = until <= after || (await this.#isDrained(seqOf(until)));
    } catch (error) {
      this.#world.report(error);
    } finally {
      this.#draining = false;
    }
    if (this.#drained) this.#news.ring();
  }

  async #isDrained(lastSeq: number): Promise<boolean> {
    await this.#world.consumers.ensure(this.#lane);
    const { delivered, num_pending, num_ack_pending } = await this.#world.consumers.state(this.#lane);
    const isIdle = this.#queue.length === 0 && this.#checks === 0;
    return isIdle && (num_pending === 0 || delivered.stream_seq >= lastSeq) && num_ack_pending <= this.#held.size;
  }
}
