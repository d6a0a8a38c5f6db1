import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { resumedAt } from '../core/hold.ts';
import type { RunnerWorld } from './runner-world.ts';

/** Messages that one step makes due; steps repeat until none is left. */
const AT_ONCE = 5_000;

export interface HastenOptions {
  readonly destinationId: string;
  readonly world: Pick<RunnerWorld, 'hasten' | 'clock' | 'report'>;
  readonly isStopped: () => boolean;
  /** Some messages have become due. */
  readonly hastened: () => void;
}

/** Makes messages of a destination's retry queue due now. Where that fails, they are due at their own time. */
export class Hastening {
  readonly #options: HastenOptions;
  #asked: Position[] = [];
  #allAt = Number.NEGATIVE_INFINITY;

  constructor(options: HastenOptions) {
    this.#options = options;
  }

  /** Makes these messages due. All calls of one moment become one step. */
  these(positions: readonly Position[]): void {
    if (positions.length === 0) return;
    if (this.#asked.length === 0) {
      queueMicrotask(() => {
        const asked = this.#asked;
        this.#asked = [];
        void this.#inPages(asked);
      });
    }
    for (const position of positions) this.#asked.push(position);
  }

  /**
   * When all messages were last made due, milliseconds since the epoch. A message that was decided by then, but is recorded
   * later, must be made due as well.
   */
  get allAt(): number {
    return this.#allAt;
  }

  /** A process begins: makes due what a resume, or switching off, has let go, because the process before may have ended meanwhile. */
  goOn(destination: Destination): void {
    const until = destination.enabled ? resumedAt(destination) : this.#options.world.clock.now();
    if (until !== null) void this.all(until);
  }

  /** Makes all messages due that were in the queue by a time. One that is put back meanwhile, to wait for something else, is not found again. */
  async all(until: number): Promise<void> {
    this.#allAt = until;
    for (let count = 1; count > 0; ) count = await this.#hasten(until, AT_ONCE);
  }

  async #inPages(positions: readonly Position[]): Promise<void> {
    const now = this.#options.world.clock.now();
    for (let start = 0; start < positions.length; start += AT_ONCE) {
      await this.#hasten(now, positions.slice(start, start + AT_ONCE));
    }
  }

  /** Answers how many messages it made due. */
  async #hasten(now: number, of: number | readonly Position[]): Promise<number> {
    const { destinationId, world, isStopped, hastened } = this.#options;
    if (isStopped()) return 0;
    try {
      const count = await world.hasten(destinationId, now, of);
      if (count > 0) hastened();
      return count;
    } catch (error) {
      world.report(error, destinationId);
      return 0;
    }
  }
}
