import type { Destination } from '../core/destination.ts';
import type { Position } from '../core/event.ts';
import { resumedAt } from '../core/hold.ts';
import type { RunnerWorld } from './runner-world.ts';

/** Messages that one step makes due; steps repeat until none is left. */
const AT_ONCE = 5_000;

/** Wait after an error of the retry queue, milliseconds. */
const RETRY_MS = 1_000;

export interface HastenOptions {
  readonly destinationId: string;
  readonly world: Pick<RunnerWorld, 'hasten' | 'clock' | 'report'>;
  readonly isStopped: () => boolean;
  /** Some messages have become due. */
  readonly hastened: () => void;
}

/**
 * Makes messages of a destination's retry queue due now, one step after the other. A step that fails is repeated until it succeeds.
 * What a stop leaves undone, the next process finds.
 */
export class Hastening {
  readonly #options: HastenOptions;
  /** Messages to be made due. They wait in the retry queue for an earlier call of their user, so their number has that limit. */
  readonly #asked = new Set<Position>();
  #allAt = Number.NEGATIVE_INFINITY;
  /** Whether messages that were in the queue by `allAt` may not be due yet. */
  #isAllLeft = false;
  #isAtWork = false;

  constructor(options: HastenOptions) {
    this.#options = options;
  }

  /** Makes these messages due. All calls that come before the next step become one step. */
  these(positions: readonly Position[]): void {
    for (const position of positions) this.#asked.add(position);
    this.#begin();
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
    if (until !== null) this.all(until);
  }

  /** Makes all messages due that were in the queue by a time. One that is put back meanwhile, to wait for something else, is not found again. */
  all(until: number): void {
    this.#allAt = until;
    this.#isAllLeft = true;
    this.#begin();
  }

  #begin(): void {
    if (this.#isAtWork) return;
    this.#isAtWork = true;
    queueMicrotask(() => void this.#work());
  }

  async #work(): Promise<void> {
    const { destinationId, world, isStopped } = this.#options;
    try {
      while (!isStopped() && (this.#asked.size > 0 || this.#isAllLeft)) await this.#step();
      this.#isAtWork = false;
    } catch (error) {
      world.report(error, destinationId);
      world.clock.after(RETRY_MS, () => void this.#work());
    }
  }

  async #step(): Promise<void> {
    await this.#stepOfThese(this.#asked.values().take(AT_ONCE).toArray());
    const until = this.#allAt;
    if (this.#isAllLeft && (await this.#hasten(until, AT_ONCE)) === 0) this.#isAllLeft = this.#allAt !== until;
  }

  /** A message that is asked for again during its step may be recorded only now: it is in the next step too. */
  async #stepOfThese(positions: readonly Position[]): Promise<void> {
    for (const position of positions) this.#asked.delete(position);
    try {
      if (positions.length > 0) await this.#hasten(this.#options.world.clock.now(), positions);
    } catch (error) {
      for (const position of positions) this.#asked.add(position);
      throw error;
    }
  }

  /** Answers how many messages it made due. */
  async #hasten(now: number, of: number | readonly Position[]): Promise<number> {
    const { destinationId, world, hastened } = this.#options;
    const count = await world.hasten(destinationId, now, of);
    if (count > 0) hastened();
    return count;
  }
}
