import type { MsgRequest } from '@nats-io/jetstream';
import type { LogEntry, Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import { decodeBatch, entriesOf, plainBatch } from './batch.ts';
import { NO_MESSAGE_FOUND, nullOn } from './failure.ts';
import { batchOf, beginOf, seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** The newest batches that were read stay in memory, up to this many bytes: a caller that reads one event of a batch usually reads more of it. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** How many batches are read at a time. */
const MOST_AT_ONCE = 16;
/** How long deleted batches are remembered. By then, everything that was on its way has arrived. */
const FORGOTTEN_MS = 10 * 60 * 1000;

interface CachedBatch {
  readonly entries: readonly LogEntry[];
  readonly bytes: number;
}

/** First and last batch of a stream. `last` is the last one ever stored, even if retention has dropped it. */
export interface StreamEnds {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads batches by their first positions, without a consumer. If events of a batch were removed, the batch was deleted, and its
 * rest is in the index.
 */
export class BatchReader {
  readonly #world: StreamWorld;
  /** Batches in memory. The one that was unused for longest comes first. */
  readonly #cache = new Map<Position, CachedBatch>();
  #cached = 0;
  /** Batches that are or will be deleted, and since when (`performance.now`). The oldest comes first. */
  readonly #forgotten = new Map<Position, number>();
  /** Number of calls of `forget`. A read during which it changes is repeated. */
  #forgets = 0;

  constructor(world: StreamWorld) {
    this.#world = world;
  }

  /** The result keeps no other bytes in memory. */
  async fetch(positions: readonly Position[]): Promise<(LogEntry | undefined)[]> {
    const asked = new Set(positions);
    const entries = new Map<Position, LogEntry>();
    const left = [...new Set(positions.map(batchOf))];
    while (left.length > 0) {
      for (const batch of await this.#read(left.splice(0, MOST_AT_ONCE))) {
        const some = batch.filter(({ position }) => asked.has(position));
        // A view would keep all bytes of its batch in memory.
        const copies = some.length === batch.length ? some : some.map(withOwnBody);
        for (const entry of copies) entries.set(entry.position, entry);
      }
    }
    return positions.map((position) => entries.get(position));
  }

  async scan(after: Position, limit: number, through: Position): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    const shards = Math.min(this.#world.names.shards, shardOf(through) + 1);
    for (let shard = shardOf(after); shard < shards && entries.length < limit; shard++) {
      const { first, last: end } = await this.ends(shard);
      const last = shard === shardOf(through) ? Math.min(end, seqOf(through)) : end;
      // The batch of `after` may have further events.
      let seq = shard === shardOf(after) ? seqOf(after) : 0;
      while (seq <= last && entries.length < limit) {
        if (seq < first) seq = await this.#nextReplaced(shard, seq, first);
        // Before the stream's first batch, only this batch is known to exist.
        const count = seq < first ? 1 : Math.min(MOST_AT_ONCE, last - seq + 1);
        for (const batch of await this.#read(Array.from({ length: count }, (_, i) => beginOf(shard, seq + i)))) {
          for (const entry of batch) {
            const isAsked = entry.position > after && entry.position <= through;
            if (isAsked && entries.length < limit) entries.push(entry);
          }
        }
        seq += count;
      }
    }
    return entries;
  }

  /** The current entries of a batch; undefined if it is gone. */
  async now(batch: Position): Promise<readonly LogEntry[] | undefined> {
    const replaced = (await this.#world.index.replaced([batch])).get(batch);
    return replaced ? entriesIn(replaced, batch) : this.#fromLeader(shardOf(batch), { seq: seqOf(batch) });
  }

  /** Notes that these batches will be deleted: they are read from the index from now on. */
  forget(batches: readonly Position[]): void {
    const now = performance.now();
    this.#forgets++;
    for (const [batch, since] of this.#forgotten) {
      if (now - since < FORGOTTEN_MS) break;
      this.#forgotten.delete(batch);
    }
    for (const batch of batches) {
      this.#forgotten.delete(batch);
      this.#forgotten.set(batch, now);
      this.#cached -= this.#cache.get(batch)?.bytes ?? 0;
      this.#cache.delete(batch);
    }
  }

  /** Whether events of a batch were removed in the last `FORGOTTEN_MS`. */
  isForgotten(batch: Position): boolean {
    return this.#forgotten.has(batch);
  }

  async ends(shard: number): Promise<StreamEnds> {
    const { state } = await this.#world.link.jsm.streams.info(this.#world.names.stream(shard));
    return { first: state.first_seq, last: state.last_seq };
  }

  /** The position of a source's newest event; undefined if all are gone. */
  async lastOf(sourceId: string): Promise<Position | undefined> {
    const shard = this.#world.names.shardOf(sourceId);
    const entries = await this.#fromLeader(shard, { last_by_subj: this.#world.names.events(sourceId) });
    return entries?.at(-1)?.position;
  }

  /** Asks the leader: only it surely knows the newest batches and deletions. */
  async #fromLeader(shard: number, query: MsgRequest): Promise<LogEntry[] | undefined> {
    const message = await this.#world.link.jsm.streams
      .getMessage(this.#world.names.stream(shard), query)
      .catch(noMessage);
    return message ? entriesOf(decodeBatch(message.data), shard, message.seq) : undefined;
  }

  /** The first batch from `from` on and before `first` that is in the index instead of the stream; `first` if there is none. */
  async #nextReplaced(shard: number, from: number, first: number): Promise<number> {
    const batch = await this.#world.index.nextReplaced(beginOf(shard, from), beginOf(shard, first));
    return batch === undefined ? first : seqOf(batch);
  }

  /** The plain bytes of each batch, read without filling the memory; undefined for a batch that is gone. */
  async bytes(batches: readonly Position[]): Promise<(Uint8Array | undefined)[]> {
    const { found, replaced } = await this.#wherever(batches, (batch) => this.#fromStream(batch));
    return batches.map((batch, i) => found[i] ?? replaced.get(batch));
  }

  /** The entries of each batch. A batch that is gone has none. */
  async #read(batches: readonly Position[]): Promise<(readonly LogEntry[])[]> {
    const { found, replaced } = await this.#wherever(batches, (batch) => this.#cachedOrRead(batch));
    return batches.map((batch, i) => {
      const there = found[i];
      if (there) this.#keep(batch, there);
      return there?.entries ?? entriesIn(replaced.get(batch), batch);
    });
  }

  /** What the stream has of these batches, and the bytes of those that the index has instead. */
  async #wherever<T>(batches: readonly Position[], read: (batch: Position) => Promise<T | null>): Promise<Wherever<T>> {
    for (;;) {
      const forgets = this.#forgets;
      const found = await Promise.all(batches.map((batch) => (this.#isThere(batch) ? read(batch) : null)));
      const missing = batches.filter((_, i) => !found[i]);
      const replaced =
        missing.length === 0 ? new Map<Position, Uint8Array>() : await this.#world.index.replaced(missing);
      // The stream's answer may contain events that were removed meanwhile.
      if (forgets === this.#forgets) return { found, replaced };
    }
  }

  #isThere(batch: Position): boolean {
    return shardOf(batch) < this.#world.names.shards && seqOf(batch) > 0 && !this.isForgotten(batch);
  }

  async #cachedOrRead(batch: Position): Promise<CachedBatch | null> {
    const cached = this.#cache.get(batch);
    if (cached) return cached;
    const bytes = await this.#fromStream(batch);
    return bytes && { entries: entriesIn(bytes, batch), bytes: bytes.byteLength };
  }

  async #fromStream(batch: Position): Promise<Uint8Array | null> {
    const [stream, seq] = [this.#world.names.stream(shardOf(batch)), seqOf(batch)];
    // Any server answers this read, perhaps one that lags. So if it finds nothing, the leader is asked.
    const message =
      (await this.#world.link.jsm.direct.getMessage(stream, { seq })) ??
      (await this.#world.link.jsm.streams.getMessage(stream, { seq }).catch(noMessage));
    return message && plainBatch(message.data);
  }

  #keep(batch: Position, read: CachedBatch): void {
    this.#cached += read.bytes - (this.#cache.get(batch)?.bytes ?? 0);
    this.#cache.delete(batch);
    this.#cache.set(batch, read);
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cached <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cached -= bytes;
    }
  }
}

interface Wherever<T> {
  readonly found: readonly (T | null)[];
  /** By first position of the batch. */
  readonly replaced: ReadonlyMap<Position, Uint8Array>;
}

function withOwnBody(entry: LogEntry): LogEntry {
  return { ...entry, body: new Uint8Array(entry.body) };
}

/** The entries of a batch, of its bytes. */
export function entriesIn(bytes: Uint8Array | undefined, batch: Position): LogEntry[] {
  return bytes ? entriesOf(decodeBatch(bytes), shardOf(batch), seqOf(batch)) : [];
}

/** Returns null if there is no such message. Throws other errors. */
export const noMessage: (error: unknown) => null = nullOn(NO_MESSAGE_FOUND);
