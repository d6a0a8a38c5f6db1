import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import type { StreamEnds } from './batch-reader.ts';
import { seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** How long queries of the index wait for events that were appended before. */
const INDEXED_MS = 2_000;
/** How long a removal of events waits for the index. */
const CAUGHT_UP_MS = 30_000;
const PAUSE_MS = 20;

/** How far the index has come. Any node may be the one that writes it. */
export class IndexProgress {
  readonly #world: StreamWorld;
  readonly #endsOf: (shard: number) => Promise<StreamEnds>;
  /** By shard: the sequence up to which this process knows the index to be filled. */
  readonly #reached: number[] = [];

  /** `endsOf` reads where a shard's stream begins and ends now. */
  constructor(world: StreamWorld, endsOf: (shard: number) => Promise<StreamEnds>) {
    this.#world = world;
    this.#endsOf = endsOf;
  }

  /** Notes that this process has filled the index up to a sequence. */
  added(shard: number, seq: number): void {
    this.#reached[shard] = seq;
  }

  /**
   * Resolves when the index has everything that any node appended before this call. Answers false if it has not: after 2 seconds if
   * the index lags or no server answers, and at once if NATS is away.
   */
  indexed(): Promise<boolean> {
    return this.#wait(INDEXED_MS);
  }

  /** @throws Fault `storage_unavailable` if the index needs more than 30 seconds. */
  async caughtUp(): Promise<void> {
    if (await this.#wait(CAUGHT_UP_MS)) return;
    throw new Fault('storage_unavailable', 'The index of the log lags behind.', { retryAfter: 5 });
  }

  /** Answers whether the index came far enough in this time. */
  async #wait(ms: number): Promise<boolean> {
    const until = performance.now() + ms;
    const { link, names, index } = this.#world;
    for (let shard = 0; shard < names.shards; shard++) {
      if (!link.isUp) return false;
      const end = await within(until - performance.now(), this.#endsOf(shard).catch(unlessRefused), () => null);
      if (end === null) return false;
      const { last } = end;
      while ((this.#reached[shard] ?? 0) < last) {
        this.#reached[shard] = seqOf(await index.through(shard));
        if ((this.#reached[shard] ?? 0) >= last) break;
        if (performance.now() > until) return false;
        await pause(PAUSE_MS);
      }
    }
    return true;
  }
}

/** Null if no server knows the end of the stream now. */
function unlessRefused(error: unknown): null {
  if (error instanceof Fault) return null;
  throw error;
}
