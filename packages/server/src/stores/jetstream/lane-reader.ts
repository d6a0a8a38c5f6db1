import pLimit from 'p-limit';
import { Bell } from '../../core/bell.ts';
import type { LogEntry, Position } from '../../core/event.ts';
import { isWithinLane, type Lane } from '../../core/lane.ts';
import { unlessAborted } from '../../core/pause.ts';
import type { LaneReader } from '../../log/contract.ts';
import { decodeBatch, entriesOf } from './batch.ts';
import type { BatchReader } from './batch-reader.ts';
import { HeldBatches } from './held-batches.ts';
import type { LaneConsumers } from './lane-consumers.ts';
import { consumerOf } from './names.ts';
import { beginOf, seqOf } from './position.ts';
import type { Delivered, Ending, PullRequests } from './pull-requests.ts';
import type { StreamWorld } from './world.ts';

/** What a lane's reader needs of the log it reads. */
export interface LaneWorld extends Omit<StreamWorld, 'clock' | 'appendDeadline' | 'onCommit'> {
  readonly consumers: LaneConsumers;
  readonly pulls: PullRequests;
  readonly batches: BatchReader;
  /** Says something about a batch, where it is answered; what is lost is said again when it is due again. */
  readonly answer: (reply: string, text: string) => void;
  /** The consumer is gone: perhaps the lane is. */
  readonly missing: () => void;
}

/** Batches that are asked for at a time: as many as keep a lane that flows busy, and as few as hold little memory. */
const MOST_BATCHES = 64;
const MOST_BYTES = 1024 * 1024;
/** Longest that a request waits at its server, which may die with it and without a word. */
const LONGEST_WAIT_MS = 15_000;
/** Grace for a request that the server should have ended. */
const GRACE_MS = 2_000;
/** A batch that the index could not be asked about comes again after this long (nanoseconds). */
const LATER = '-NAK {"delay":1000000000}';
/** One that this version can't read, after so long that others have their chance. */
const ELSEWHERE = '-NAK {"delay":5000000000}';
const AGAIN = '-NAK';
const DONE = '+ACK';
const PROGRESS = '+WPI';

/**
 * Reads one lane, which other nodes read at the same time. What was handed out is this process's as long as it gives signs
 * of life; a batch is acknowledged when each of its events is, and comes again, to anybody, when it is not.
 *
 * Nothing is asked for ahead of who pulls, except by a lane that flows: it asks for more the faster it empties its batches.
 * One that stands still gives back what it has not begun.
 */
export class JetStreamLaneReader implements LaneReader {
  #lane: Lane;
  readonly #world: LaneWorld;
  readonly #held = new HeldBatches();
  /** Entries of batches that were not handed out yet, oldest first. */
  readonly #queue: { readonly seq: number; readonly entries: readonly LogEntry[]; next: number }[] = [];
  /** Batches that wait for the index's word, one after the other, so that batches keep their order. */
  readonly #inTurn = pLimit(1);
  #checks = 0;
  /** Up to this batch, the consumer may hand out what was settled before; null until it is known to be there. */
  #settledThrough: number | null = null;
  #ensuring = false;
  #asked = 1;
  #request = 0;
  /** Batches that the request under way may still bring; 0 when there is none. */
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

  constructor(lane: Lane, world: LaneWorld) {
    this.#lane = lane;
    this.#world = world;
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

  /** What is known of the lane now: perhaps it has ended. */
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

  /** Events were removed from these batches of its shard: what it would still hand out of them is in the lane's retry queue. */
  forget(seqs: ReadonlySet<number>): void {
    for (const seq of seqs) {
      const reply = this.#held.release(seq);
      if (reply !== undefined) this.#world.answer(reply, DONE);
    }
    const kept = this.#queue.filter(({ seq }) => !seqs.has(seq));
    this.#queue.splice(0, this.#queue.length, ...kept);
    this.#news.ring();
  }

  arrived(message: Delivered): void {
    // A reader that gets all it asked for, and then asks again, may have more the next time.
    if (this.#outstanding === 1) this.#asked = Math.min(this.#asked * 2, MOST_BATCHES);
    if (this.#outstanding > 0) this.#outstanding--;
    if (this.#closed) {
      this.#world.answer(message.reply, AGAIN);
      return;
    }
    if (this.#isForgotten(message.seq)) {
      this.#world.answer(message.reply, DONE);
      this.#news.ring();
      return;
    }
    this.#batchBytes =
      this.#batchBytes === 0 ? message.data.byteLength : (this.#batchBytes * 7 + message.data.byteLength) / 8;
    if (this.#held.has(message.seq)) {
      this.#held.renew(message.seq, message.reply);
      return;
    }
    this.#take(message);
  }

  ended(request: number, ending: Ending): void {
    if (request !== this.#request) return;
    this.#outstanding = 0;
    if (ending === 'refused') {
      // Perhaps it is gone, perhaps it has no leader: the next tick finds out.
      this.#settledThrough = null;
      this.#world.missing();
    } else if (this.#pulling) {
      this.#ask();
    }
  }

  /** Something was lost on the way, perhaps, or even the consumer: what was asked for is asked for again. */
  restart(): void {
    this.#outstanding = 0;
    this.#settledThrough = null;
    if (this.#pulling) this.#ask();
  }

  /** To be called every second or so, with the time of `performance.now`. */
  tick(now: number): void {
    if (this.#closed) return;
    const third = this.#world.ackWait / 3;
    if (now - this.#progressAt >= third) {
      this.#progressAt = now;
      if (!this.#pulling && now - this.#pulledAt >= third) this.#giveBack();
      for (const reply of this.#held.replies()) this.#world.answer(reply, PROGRESS);
    }
    // It was lost with its server, and the consumer may be another one by now.
    if (this.#outstanding > 0 && now > this.#requestEnds + GRACE_MS) this.ended(this.#request, 'refused');
    if (this.#pulling) {
      this.#ask();
      if (this.#lane.until !== null) void this.#checkDrained();
    }
  }

  /** Hands nothing out from now on. What is not settled is for the next reader, here or elsewhere. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    for (const reply of this.#held.replies()) this.#world.answer(reply, AGAIN);
    this.#held.clear();
    this.#queue.length = 0;
    this.#news.ring();
  }

  /** Whether an entry of the source is one of the lane's: it may begin and end in the middle of a batch. */
  #isIn({ position }: LogEntry): boolean {
    return isWithinLane(this.#lane, position);
  }

  /** Nothing is to be done with what lies outside of the lane. */
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

  /** Asks for batches, when a caller waits and no request is under way. */
  #ask(): void {
    if (this.#outstanding > 0 || this.#checks > 0 || this.#closed || this.#drained || !this.#world.link.isUp) return;
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
    pulls.request(
      consumers.streamOf(this.#lane),
      consumerOf(this.#lane.id),
      this.#lane.id,
      ++this.#request,
      count,
      wait,
    );
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
      // A node of a newer version, which wrote it, can read it.
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
   * Leaves out what has a delivery: a node settled it, or put it into the retry queue, and could not say so. All of a batch that can't
   * be asked about is left out, and comes again.
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

  /** No caller takes anything: another node may, and memory is for lanes that flow. */
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
   * A lane that has ended is drained when all of it was handed out, and all that is unsettled is held here: another node
   * that dies with something of it in its hands leaves it to this one.
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
