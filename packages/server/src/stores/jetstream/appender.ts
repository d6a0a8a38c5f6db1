import { hash } from 'node:crypto';
import { BoundedMap } from '../../core/bounded-map.ts';
import { type Event, type NewEvent, ownerOf } from '../../core/event.ts';
import { Fault } from '../../core/fault.ts';
import { within } from '../../core/pause.ts';
import { weightOf } from '../../core/weight.ts';
import type { AppendResult } from '../../log/contract.ts';
import { COMPRESSED } from '../../log/stream-index.ts';
import { compressBatch, encodeBatch } from './batch.ts';
import { storageFault } from './failure.ts';
import { MAX_BATCH_EVENTS, seqOf } from './position.ts';
import { type Limits, type Publish, publisher } from './publisher.ts';
import type { StreamWorld } from './world.ts';

/** Most bytes of one batch's bodies. Larger batches gain nothing and let all callers wait longer. */
export const MAX_BATCH_BYTES: number = 512 * 1024;
/** Most batches of one source under way at a time, if each of them is full. */
const MOST_UNDERWAY = 4;
/**
 * Batches that are not full begin this far apart, so that several lone calls share the cost of one batch. If only one call came
 * meanwhile, the only client may be waiting for its answer: then the next `TRY_EVERY` batches begin at once, before lingering
 * is tried again.
 */
const LINGER_MS = 10;
const TRY_EVERY = 16;
/** Most bytes of events that wait for the stream; further events are refused as `overloaded`. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;
/** Space for the headers of a message. */
export const HEADERS_BYTES = 512;
/** How long a messageId is remembered (contract 8.7). */
const DEDUPE_MS = 24 * 60 * 60 * 1000;
/** Keys of the newest events in memory. */
const REMEMBERED = 300_000;
/** A failure is reported as trouble for this long. After that, only new events can show whether it persists. */
const TROUBLE_MS = 10_000;

/** What an append needs, and what can fail: the index or the stream. */
export type Needed = 'index' | 'stream';

/** One call of `append`, until all its events are in the stream. */
interface Append {
  readonly events: readonly NewEvent[];
  readonly duplicates: number[];
  readonly arrivedAt: number;
  left: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** Events of one call and one source, by their places in the call. */
interface Part {
  readonly append: Append;
  readonly places: readonly number[];
  /** Resolves when the batch with the earlier part of the same call has ended: with its error, or null. */
  readonly after?: Promise<Fault | null>;
}

/** The parts that become one batch. */
interface Batch {
  readonly sourceId: string;
  readonly parts: readonly Part[];
  /** Keys of the batch's events in the map of ids under way. */
  readonly keys: string[];
  /** Resolves when the batch has ended: with its error, or null. */
  readonly over: PromiseWithResolvers<Fault | null>;
}

interface SourceQueue {
  readonly parts: Part[];
  events: number;
  bytes: number;
  underway: number;
}

/**
 * Group commit: while a batch of a source is on its way, further events of that source wait for the next batch. So batches are
 * larger on a slower stream. If a batch is full, several may be under way. Batches of all sources begin together; after a
 * pause, the first one begins at once.
 */
export class Appender {
  readonly #world: StreamWorld;
  readonly #publishBatch: Publish;
  /** When the newest events were appended, by key. It makes duplicates exact within a process: the index knows an id only some moments later. */
  readonly #recent = new BoundedMap<string, number>(REMEMBERED);
  /** Keys of events that are on their way to the stream, and their batch. */
  readonly #underway = new Map<string, Batch>();
  readonly #queues = new Map<string, SourceQueue>();
  readonly #running = new Set<Promise<void>>();
  /** Calls that are not answered yet. These promises never reject. */
  readonly #appends = new Set<Promise<unknown>>();
  #waitingBytes = 0;
  #scheduled = false;
  #begunAt = Number.NEGATIVE_INFINITY;
  /** How many batches begin at once before one lingers again. */
  #atOnce = 0;
  #closed = false;
  #failure: { readonly at: number; readonly of: Needed; readonly message: string } | null = null;

  constructor(world: StreamWorld) {
    this.#world = world;
    this.#publishBatch = publisher(world);
  }

  append(events: readonly NewEvent[]): Promise<AppendResult> {
    if (events.length === 0) return Promise.resolve({ duplicates: [] });
    if (this.#closed) return Promise.reject(new Fault('storage_unavailable', 'The service is stopping.'));
    if (this.#waitingBytes > MAX_WAITING_BYTES) {
      return Promise.reject(
        new Fault('overloaded', 'More events arrive than NATS can take; try again soon.', { retryAfter: 1 }),
      );
    }
    const appended = new Promise<AppendResult>((resolve, reject) => {
      const append = { events, duplicates: [], arrivedAt: performance.now(), left: events.length, resolve, reject };
      const bySource = Map.groupBy(events.keys(), (place) => events[place]?.sourceId ?? '');
      for (const [sourceId, places] of bySource) this.#enqueue(sourceId, { append, places });
    });
    const ended: Promise<unknown> = appended.catch(() => undefined).then(() => this.#appends.delete(ended));
    this.#appends.add(ended);
    return appended;
  }

  /** Resolves when every earlier append is in the stream or refused. */
  async caughtUp(): Promise<void> {
    await Promise.all(this.#appends);
  }

  /** Why nothing can be written now, in words; null unless this part has failed. */
  trouble(of: Needed): string | null {
    const failure = this.#failure;
    return failure?.of === of && performance.now() - failure.at <= TROUBLE_MS ? failure.message : null;
  }

  /** Refuses new appends. Resolves when the earlier ones are in the stream or refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#begin();
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #enqueue(sourceId: string, part: Part): void {
    let queue = this.#queues.get(sourceId);
    if (!queue) {
      queue = { parts: [], events: 0, bytes: 0, underway: 0 };
      this.#queues.set(sourceId, queue);
    }
    queue.parts.push(part);
    queue.events += part.places.length;
    const bytes = bytesOf(part);
    queue.bytes += bytes;
    this.#waitingBytes += bytes;
    this.#pumpSoon(sourceId, queue);
  }

  #pumpSoon(sourceId: string, queue: SourceQueue): void {
    if (isFull(queue) || this.#closed) this.#pump(sourceId, queue);
    else this.#schedule();
  }

  /** Without lingering, all arrivals of the same moment go into one batch. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    const linger = this.#begunAt + LINGER_MS - performance.now();
    if (linger < 1 || this.#atOnce > 0) {
      this.#atOnce = Math.max(0, this.#atOnce - 1);
      queueMicrotask(() => this.#begin());
    } else setTimeout(() => this.#linger(), linger);
  }

  #linger(): void {
    const calls = [...this.#queues.values()].reduce((sum, { parts }) => sum + parts.length, 0);
    this.#atOnce = calls > 1 ? 0 : TRY_EVERY;
    this.#begin();
  }

  #begin(): void {
    this.#scheduled = false;
    this.#begunAt = performance.now();
    for (const [sourceId, queue] of this.#queues) this.#pump(sourceId, queue);
  }

  #pump(sourceId: string, queue: SourceQueue): void {
    while (queue.parts.length > 0 && (queue.underway === 0 || (queue.underway < MOST_UNDERWAY && isFull(queue)))) {
      const batch = this.#next(sourceId, queue);
      queue.underway++;
      const running = this.#run(batch).finally(() => {
        this.#running.delete(running);
        queue.underway--;
        if (queue.parts.length > 0) this.#pumpSoon(sourceId, queue);
        else if (queue.underway === 0) this.#queues.delete(sourceId);
      });
      this.#running.add(running);
    }
  }

  /**
   * Takes as many events as fit into one batch. Notices of deletions get batches of their own, because these are removed once
   * the deletion has ended: a reader that has not reached such a batch must not miss other events.
   */
  #next(sourceId: string, queue: SourceQueue): Batch {
    const parts: Part[] = [];
    const over = Promise.withResolvers<Fault | null>();
    let [events, bytes, notices] = [0, 0, false];
    for (let part = queue.parts.shift(); part; part = queue.parts.shift()) {
      const { append, places, ...rest } = part;
      let end = 0;
      for (; end < places.length && events < MAX_BATCH_EVENTS; end++) {
        const event = append.events[places[end] ?? -1];
        const size = weightOf(event);
        if (events > 0 && (bytes + size > MAX_BATCH_BYTES || (event?.type === 'delete') !== notices)) break;
        notices = event?.type === 'delete';
        bytes += size;
        events++;
      }
      if (end > 0) parts.push({ ...rest, append, places: places.slice(0, end) });
      if (end === places.length) continue;
      queue.parts.unshift(end > 0 ? { append, places: places.slice(end), after: over.promise } : part);
      break;
    }
    queue.events -= events;
    queue.bytes -= bytes;
    this.#waitingBytes -= bytes;
    return { sourceId, parts, keys: [], over };
  }

  async #run(batch: Batch): Promise<void> {
    const { sourceId, parts, keys, over } = batch;
    let fault: Fault | null = null;
    let asked: Needed = 'index';
    try {
      const deadline = (parts[0]?.append.arrivedAt ?? 0) + this.#world.appendDeadline;
      const left = deadline - performance.now();
      if (left <= 0 && this.#failure) {
        // Its turn came too late: what failed is what the batch before it waited for.
        asked = this.#failure.of;
        throw new Fault('storage_unavailable', this.#failure.message, { retryAfter: 5 });
      }
      const { fresh, duplicates, after } = await within(Math.max(0, left), this.#sort(batch), indexIsLate);
      asked = 'stream';
      // A call is stored in its order. If an earlier part of it failed, this batch fails too.
      for (const { after } of parts) {
        const failed = await after;
        if (failed) throw failed;
      }
      await this.#publish(sourceId, fresh, duplicates.length, { deadline, after });
      const now = this.#world.clock.now();
      for (const event of fresh) this.#recent.set(keyOf(event), now);
      for (const [{ duplicates: places }, place] of duplicates) places.push(place);
      for (const { append, places } of parts) {
        append.left -= places.length;
        if (append.left === 0) append.resolve({ duplicates: append.duplicates.sort((a, b) => a - b) });
      }
      this.#failure = null;
    } catch (error) {
      fault = storageFault(error);
      this.#failure = { at: performance.now(), of: asked, message: fault.message };
      for (const { append } of parts) append.reject(fault);
    }
    for (const key of keys) this.#underway.delete(key);
    over.resolve(fault);
  }

  /**
   * Separates new events from duplicates, and notes the new ones as under way in this batch. An event that another batch has
   * under way is a duplicate once that batch is in the stream. If that batch fails, this one fails too.
   */
  async #sort(batch: Batch): Promise<{ fresh: NewEvent[]; duplicates: [Append, number][]; after: number }> {
    const { sourceId, parts, keys } = batch;
    const since = this.#world.clock.now() - DEDUPE_MS;
    const duplicates: [Append, number][] = [];
    const candidates: [Append, number, NewEvent][] = [];
    const others = new Set<Promise<Fault | null>>();
    for (const { append, places } of parts) {
      for (const place of places) {
        const event = append.events[place];
        if (!event) continue;
        const key = keyOf(event);
        const other = this.#underway.get(key);
        if (other || (this.#recent.get(key) ?? Number.NEGATIVE_INFINITY) >= since) {
          if (other && other !== batch) others.add(other.over.promise);
          duplicates.push([append, place]);
        } else {
          this.#underway.set(key, batch);
          keys.push(key);
          candidates.push([append, place, event]);
        }
      }
    }
    const ids = candidates.map(([, , event]) => ({ messageId: event.messageId, owner: ownerOf(event) }));
    const { places, through } = await this.#world.index.known(sourceId, ids, since);
    const fresh: NewEvent[] = [];
    for (const [i, [append, place, event]] of candidates.entries()) {
      if (places.has(i)) duplicates.push([append, place]);
      else fresh.push(event);
    }
    for (const fault of await Promise.all(others)) if (fault) throw fault;
    return { fresh, duplicates, after: seqOf(through.get(this.#world.names.shardOf(sourceId)) ?? 0) };
  }

  async #publish(sourceId: string, events: readonly Event[], duplicates: number, limits: Limits): Promise<void> {
    if (events.length === 0 && duplicates === 0) return;
    const { link, names, index, onCommit } = this.#world;
    const plain = encodeBatch({ sourceId, events, duplicates });
    const batch = index.layout() >= COMPRESSED ? compressBatch(plain) : plain;
    if (batch.byteLength <= link.maxPayload - HEADERS_BYTES) {
      const subject = events.length > 0 ? names.events(sourceId) : names.duplicates(sourceId);
      const begun = performance.now();
      await this.#publishBatch(names.shardOf(sourceId), subject, batch, limits);
      onCommit(performance.now() - begun, events.length);
      return;
    }
    if (events.length < 2) {
      throw new Fault(
        'storage_unavailable',
        `An event takes ${batch.byteLength} bytes, and the NATS servers take ${link.maxPayload} in one message: raise their max_payload.`,
      );
    }
    // The halves are sent one after the other, so that the events of a call keep their order.
    const half = Math.ceil(events.length / 2);
    await this.#publish(sourceId, events.slice(0, half), duplicates, limits);
    await this.#publish(sourceId, events.slice(half), 0, limits);
  }
}

function isFull({ events, bytes }: SourceQueue): boolean {
  return events >= MAX_BATCH_EVENTS || bytes >= MAX_BATCH_BYTES;
}

/** Identifies duplicates (contract 8.7). */
function keyOf(event: NewEvent): string {
  const key = `${event.sourceId} ${event.messageId.length} ${event.messageId}${ownerOf(event)}`;
  return key.length > LONGEST_KEY ? hash('sha256', key, 'base64') : key;
}

/** Longer keys are hashed: a user id may be as long as a call, and many keys are in memory. */
const LONGEST_KEY = 256;

function indexIsLate(): never {
  throw new Fault('storage_unavailable', 'The index of the log did not answer in time.', { retryAfter: 5 });
}

function bytesOf({ append, places }: Part): number {
  return places.reduce((sum, place) => sum + weightOf(append.events[place]), 0);
}
