import type { MsgRequest } from '@nats-io/jetstream';
import type { LogEntry, Position } from '../../core/event.ts';
import { shardOf } from '../../core/position.ts';
import { NO_MESSAGE_FOUND, nullOn } from './failure.ts';
import { decodePack, entriesOf } from './pack.ts';
import { beginOf, packOf, seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** The newest packs that were read stay in memory, up to this many bytes: who reads one event of a pack reads more. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Packs that are asked for at a time. */
const MOST_AT_ONCE = 16;
/** Packs that were forgotten are known as such for so long: what was on its way has arrived by then. */
const FORGOTTEN_MS = 10 * 60 * 1000;

interface CachedPack {
  readonly entries: readonly LogEntry[];
  readonly bytes: number;
}

/** First and last pack of a stream; `last` is the last one that there ever was, also where retention has dropped it. */
export interface StreamEnds {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads packs by their first positions, beside all consumers. What is left of a pack that was deleted, because events of it were removed,
 * is in the index.
 */
export class PackReader {
  readonly #world: StreamWorld;
  /** The longest unused first. */
  readonly #cache = new Map<Position, CachedPack>();
  #cached = 0;
  /** Packs that are, or will be, deleted, and since when (`performance.now`); the oldest first. */
  readonly #forgotten = new Map<Position, number>();
  /** How often something was forgotten: what was read meanwhile is read again. */
  #forgets = 0;

  constructor(world: StreamWorld) {
    this.#world = world;
  }

  /** What is answered keeps no more in memory than itself. */
  async fetch(positions: readonly Position[]): Promise<(LogEntry | undefined)[]> {
    const asked = new Set(positions);
    const entries = new Map<Position, LogEntry>();
    const left = [...new Set(positions.map(packOf))];
    while (left.length > 0) {
      for (const pack of await this.#read(left.splice(0, MOST_AT_ONCE))) {
        const some = pack.filter(({ position }) => asked.has(position));
        // A view keeps all bytes of its pack.
        const copies = some.length === pack.length ? some : some.map(withOwnBody);
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
      // The pack of `after` may have more.
      let seq = shard === shardOf(after) ? seqOf(after) : 0;
      while (seq <= last && entries.length < limit) {
        if (seq < first) seq = await this.#nextReplaced(shard, seq, first);
        // Of those before the stream's first only this one is known to be there.
        const count = seq < first ? 1 : Math.min(MOST_AT_ONCE, last - seq + 1);
        for (const pack of await this.#read(Array.from({ length: count }, (_, i) => beginOf(shard, seq + i)))) {
          for (const entry of pack) {
            const isAsked = entry.position > after && entry.position <= through;
            if (isAsked && entries.length < limit) entries.push(entry);
          }
        }
        seq += count;
      }
    }
    return entries;
  }

  /** The entries that a pack has by now; undefined where it is gone. */
  async now(pack: Position): Promise<readonly LogEntry[] | undefined> {
    const replaced = (await this.#world.index.replaced([pack])).get(pack);
    return replaced ? entriesIn(replaced, pack) : this.#fromLeader(shardOf(pack), { seq: seqOf(pack) });
  }

  /** From now on these packs are read from the index. */
  forget(packs: readonly Position[]): void {
    const now = performance.now();
    this.#forgets++;
    for (const [pack, since] of this.#forgotten) {
      if (now - since < FORGOTTEN_MS) break;
      this.#forgotten.delete(pack);
    }
    for (const pack of packs) {
      this.#forgotten.delete(pack);
      this.#forgotten.set(pack, now);
      this.#cached -= this.#cache.get(pack)?.bytes ?? 0;
      this.#cache.delete(pack);
    }
  }

  /** Whether events of a pack were removed not long ago. */
  isForgotten(pack: Position): boolean {
    return this.#forgotten.has(pack);
  }

  async ends(shard: number): Promise<StreamEnds> {
    const { state } = await this.#world.link.jsm.streams.info(this.#world.names.stream(shard));
    return { first: state.first_seq, last: state.last_seq };
  }

  /** The position of a source's newest event; undefined where all are gone. */
  async lastOf(sourceId: string): Promise<Position | undefined> {
    const shard = this.#world.names.shardOf(sourceId);
    const entries = await this.#fromLeader(shard, { last_by_subj: this.#world.names.events(sourceId) });
    return entries?.at(-1)?.position;
  }

  /** Asks the leader, which knows what was appended and deleted last. */
  async #fromLeader(shard: number, query: MsgRequest): Promise<LogEntry[] | undefined> {
    const message = await this.#world.link.jsm.streams
      .getMessage(this.#world.names.stream(shard), query)
      .catch(noMessage);
    return message ? entriesOf(decodePack(message.data), shard, message.seq) : undefined;
  }

  /** The first pack at or after `from` that is in the index instead, and before `first`; that one where there is none. */
  async #nextReplaced(shard: number, from: number, first: number): Promise<number> {
    const pack = await this.#world.index.nextReplaced(beginOf(shard, from), beginOf(shard, first));
    return pack === undefined ? first : seqOf(pack);
  }

  /** The bytes of each pack, beside the memory of those that were read: undefined where it is gone. */
  async bytes(packs: readonly Position[]): Promise<(Uint8Array | undefined)[]> {
    const { found, replaced } = await this.#wherever(packs, (pack) => this.#fromStream(pack));
    return packs.map((pack, i) => found[i] ?? replaced.get(pack));
  }

  /** The last pack of a shard before another that is in the index instead; 0 where there is none. */
  async lastReplaced(shard: number, before: number): Promise<number> {
    const pack = await this.#world.index.lastReplaced(beginOf(shard, 0), beginOf(shard, before));
    return pack === undefined ? 0 : seqOf(pack);
  }

  /** The entries of each pack; none where it is gone. */
  async #read(packs: readonly Position[]): Promise<(readonly LogEntry[])[]> {
    const { found, replaced } = await this.#wherever(packs, (pack) => this.#cachedOrRead(pack));
    return packs.map((pack, i) => {
      const there = found[i];
      if (there) this.#keep(pack, there);
      return there?.entries ?? entriesIn(replaced.get(pack), pack);
    });
  }

  /** What the stream has of these packs, and the bytes of what the index has instead. */
  async #wherever<T>(packs: readonly Position[], read: (pack: Position) => Promise<T | null>): Promise<Wherever<T>> {
    for (;;) {
      const forgets = this.#forgets;
      const found = await Promise.all(packs.map((pack) => (this.#isThere(pack) ? read(pack) : null)));
      const missing = packs.filter((_, i) => !found[i]);
      const replaced =
        missing.length === 0 ? new Map<Position, Uint8Array>() : await this.#world.index.replaced(missing);
      // What the stream said may be what was removed meanwhile.
      if (forgets === this.#forgets) return { found, replaced };
    }
  }

  #isThere(pack: Position): boolean {
    return shardOf(pack) < this.#world.names.shards && seqOf(pack) > 0 && !this.isForgotten(pack);
  }

  async #cachedOrRead(pack: Position): Promise<CachedPack | null> {
    const cached = this.#cache.get(pack);
    if (cached) return cached;
    const bytes = await this.#fromStream(pack);
    return bytes && { entries: entriesIn(bytes, pack), bytes: bytes.byteLength };
  }

  async #fromStream(pack: Position): Promise<Uint8Array | null> {
    const [stream, seq] = [this.#world.names.stream(shardOf(pack)), seqOf(pack)];
    // Any server answers this one, perhaps one that lags: only the leader's no is a no.
    const message =
      (await this.#world.link.jsm.direct.getMessage(stream, { seq })) ??
      (await this.#world.link.jsm.streams.getMessage(stream, { seq }).catch(noMessage));
    return message?.data ?? null;
  }

  #keep(pack: Position, read: CachedPack): void {
    this.#cached += read.bytes - (this.#cache.get(pack)?.bytes ?? 0);
    this.#cache.delete(pack);
    this.#cache.set(pack, read);
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cached <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cached -= bytes;
    }
  }
}

interface Wherever<T> {
  readonly found: readonly (T | null)[];
  /** By the packs' first positions. */
  readonly replaced: ReadonlyMap<Position, Uint8Array>;
}

function withOwnBody(entry: LogEntry): LogEntry {
  return { ...entry, body: new Uint8Array(entry.body) };
}

function entriesIn(bytes: Uint8Array | undefined, pack: Position): LogEntry[] {
  return bytes ? entriesOf(decodePack(bytes), shardOf(pack), seqOf(pack)) : [];
}

/** Null where there is no such message; other failures are thrown on. */
export const noMessage: (error: unknown) => null = nullOn(NO_MESSAGE_FOUND);
