import type { MsgRequest } from '@nats-io/jetstream';
import type { LogEntry, Position } from '../../core/event.ts';
import { shardOf } from '../../log/stream-index.ts';
import { apiCode, NO_MESSAGE_FOUND } from './failure.ts';
import type { Link } from './link.ts';
import type { Names } from './names.ts';
import { decodePack, entriesOf } from './pack.ts';
import { endOf, indexOf, seqOf } from './position.ts';

/** The newest packs that were read stay in memory, up to this many bytes: who reads one event of a pack reads more. */
const CACHE_BYTES = 16 * 1024 * 1024;
/** Packs that are asked for at a time. */
const MOST_AT_ONCE = 16;

interface CachedPack {
  readonly entries: readonly LogEntry[];
  readonly bytes: number;
}

/** First and last pack of a stream; `last` is the last one that there ever was, also where retention has dropped it. */
export interface StreamEnds {
  readonly first: number;
  readonly last: number;
}

/** Reads packs by their place, beside all consumers. */
export class PackReader {
  readonly #link: Link;
  readonly #names: Names;
  /** By stream and place, the longest unused first. */
  readonly #cache = new Map<string, CachedPack>();
  #cached = 0;

  constructor(link: Link, names: Names) {
    this.#link = link;
    this.#names = names;
  }

  async fetch(positions: readonly Position[]): Promise<(LogEntry | undefined)[]> {
    const wanted = new Map<string, { readonly shard: number; readonly seq: number }>();
    for (const position of positions) {
      const [shard, seq] = [shardOf(position), seqOf(position)];
      wanted.set(keyOf(shard, seq), { shard, seq });
    }
    const packs = new Map<string, readonly LogEntry[]>();
    const left = [...wanted];
    while (left.length > 0) {
      const asked = left.splice(0, MOST_AT_ONCE);
      const found = await Promise.all(asked.map(([, { shard, seq }]) => this.#read(shard, seq)));
      for (const [i, [key]] of asked.entries()) packs.set(key, found[i] ?? []);
    }
    return positions.map((position) => packs.get(keyOf(shardOf(position), seqOf(position)))?.[indexOf(position)]);
  }

  async scan(after: Position, limit: number): Promise<LogEntry[]> {
    const entries: LogEntry[] = [];
    let position = after;
    for (let shard = shardOf(after); shard < this.#names.shards && entries.length < limit; shard++) {
      const { first, last } = await this.ends(shard);
      // The pack of `after` may have more.
      let seq = Math.max(first, shard === shardOf(position) ? seqOf(position) : 0);
      while (seq <= last && entries.length < limit) {
        const count = Math.min(MOST_AT_ONCE, last - seq + 1);
        const packs = await Promise.all(Array.from({ length: count }, (_, i) => this.#read(shard, seq + i)));
        for (const entry of packs.flat()) {
          if (entry.position > after && entries.length < limit) entries.push(entry);
        }
        seq += count;
      }
      position = endOf(shard, last);
    }
    return entries;
  }

  async ends(shard: number): Promise<StreamEnds> {
    const { state } = await this.#link.jsm.streams.info(this.#names.stream(shard));
    return { first: state.first_seq, last: state.last_seq };
  }

  /** The position of a source's newest event; undefined where there is none any more. */
  async lastOf(sourceId: string): Promise<Position | undefined> {
    const entries = await this.#get(sourceId, { last_by_subj: this.#names.events(sourceId) });
    return entries?.at(-1)?.position;
  }

  /** The source's first pack at or after a place; undefined where there is none. */
  nextOf(sourceId: string, seq: number): Promise<readonly LogEntry[] | undefined> {
    // The leader takes this query too, though its type says otherwise.
    const query: MsgRequest & { next_by_subj: string } = { seq, next_by_subj: this.#names.events(sourceId) };
    return this.#get(sourceId, query);
  }

  /** Asks the leader, which knows what was appended last. */
  async #get(sourceId: string, query: MsgRequest): Promise<LogEntry[] | undefined> {
    const shard = this.#names.shardOf(sourceId);
    const message = await this.#link.jsm.streams.getMessage(this.#names.stream(shard), query).catch(noMessage);
    return message ? entriesOf(decodePack(message.data), shard, message.seq) : undefined;
  }

  /** The entries of a pack; none where retention has dropped it. */
  async #read(shard: number, seq: number): Promise<readonly LogEntry[]> {
    if (shard >= this.#names.shards || seq === 0) return [];
    const key = keyOf(shard, seq);
    const cached = this.#cache.get(key);
    if (cached) {
      this.#cache.delete(key);
      this.#cache.set(key, cached);
      return cached.entries;
    }
    const stream = this.#names.stream(shard);
    // Any server answers this one, perhaps one that lags: only the leader's no is a no.
    const message =
      (await this.#link.jsm.direct.getMessage(stream, { seq })) ??
      (await this.#link.jsm.streams.getMessage(stream, { seq }).catch(noMessage));
    if (!message) return [];
    const entries = entriesOf(decodePack(message.data), shard, seq);
    this.#keep(key, { entries, bytes: message.data.byteLength });
    return entries;
  }

  #keep(key: string, pack: CachedPack): void {
    this.#cache.set(key, pack);
    this.#cached += pack.bytes;
    for (const [oldest, { bytes }] of this.#cache) {
      if (this.#cached <= CACHE_BYTES) break;
      this.#cache.delete(oldest);
      this.#cached -= bytes;
    }
  }
}

function keyOf(shard: number, seq: number): string {
  return `${shard}.${seq}`;
}

function noMessage(error: unknown): null {
  if (apiCode(error) === NO_MESSAGE_FOUND) return null;
  throw error;
}
