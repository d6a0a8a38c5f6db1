import { Bell } from './bell.ts';
import type { Service } from './service.ts';
import type { Timer } from './timer.ts';

/** Longest wait for a time of the clock, milliseconds: a jump of it, or a sleep of the machine, is noticed after that. */
export const JUMP_NOTICED_MS = 30_000;

/**
 * Does work turn by turn, one turn at a time. A turn answers how long the next one may wait, milliseconds: Infinity means until
 * `ring`. A turn reports its own failures: an error that it throws is a bug. `stop` aborts the turn's signal and waits for the
 * turn.
 */
export class Loop implements Service {
  readonly #timer: Timer;
  readonly #turn: (signal: AbortSignal) => Promise<number>;
  readonly #news = new Bell();
  #stopping = new AbortController();
  #running: Promise<void> | null = null;

  constructor(timer: Timer, turn: (signal: AbortSignal) => Promise<number>) {
    this.#timer = timer;
    this.#turn = turn;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  async start(): Promise<void> {
    if (this.#running) return;
    this.#stopping = new AbortController();
    this.#running = this.#run(this.#stopping.signal);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    this.ring();
    await this.#running;
    this.#running = null;
  }

  /** The next turn waits no longer. */
  ring(): void {
    this.#news.ring();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // Taken before the turn: a ring during the turn must end the wait.
      const news = this.#news.next;
      const wait = await this.#turn(signal);
      if (signal.aborted || wait <= 0) continue;
      const cancel = wait === Number.POSITIVE_INFINITY ? () => undefined : this.#timer.after(wait, () => this.ring());
      await news;
      cancel();
    }
  }
}
