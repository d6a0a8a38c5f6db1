import { Fault } from '../../core/fault.ts';
import { pause, within } from '../../core/pause.ts';
import type { StreamEnds } from './batch-reader.ts';
import { seqOf } from './position.ts';
import type { StreamWorld } from './world.ts';

/** Answers of the index wait this long for what was appended before they were asked for. */
const INDEXED_MS = 2_000;
/** A removal of events waits so long for the index. */
const CAUGHT_UP_MS = 30_000;
const PAUSE_MS = 20;

/** How far the index has come, which any node may write. */
export class IndexProgress {
  readonly #world: StreamWorld;
  readonly #endsOf: (shard: number) => Promise<StreamEnds>;
  /** Places that this process knows to be in the index, by shard. */
  readonly #reached: number[] = [];

  /** `endsOf`: where a shard's stream begins and ends now. */
  constructor(world: StreamWorld, endsOf: (shard: number) => Promise<StreamEnds>) {
    this.#world = world;
    this.#endsOf = endsOf;
  }

  /** This process has written the index up to a place. */
  added(shard: number, seq: number): void {
    this.#reached[shard] = seq;
  }

  /**
   * Resolves when the index has everything that was appended, by any node, before this call. Answers false when it has not: after 2
   * seconds, when it lags or no server answers, and at once while NATS is away.
   */
  indexed(): Promise<boolean> {
    return this.#wait(INDEXED_MS);
  }

  /** @throws Fault `storage_unavailable` when the index has not come so far within 30 seconds. */
  async caughtUp(): Promise<void> {
    if (await this.#wait(CAUGHT_UP_MS)) return;
    throw new Fault('storage_unavailable', 'The index of the log lags behind.', { retryAfter: 5 });
  }

  /** Answers whether the index came so far in that time. */
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

/** No server knows now where the stream ends. */
function unlessRefused(error: unknown): null {
  if (error instanceof Fault) return null;
  throw error;
}
