import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';

/** The machine's clock and timers, milliseconds. */
export interface TimeSource extends Clock {
  /** Milliseconds since a fixed moment; never jumps. */
  passed(): number;
}

export interface SteadyClockOptions {
  readonly source?: TimeSource;
  /**
   * Whether this clock follows the machine's when that jumps forward, because somebody set it or the machine slept. A clock that
   * another one corrects counts only the time that has passed.
   */
  readonly follows: boolean;
  /**
   * Called when the distance of the machine's clock from this one changes, with that distance: negative after the machine's was
   * set back, 0 when both agree.
   */
  readonly told?: (ms: number) => void;
}

/** A smaller step is no jump: time synchronisation moves a clock by milliseconds. */
const JUMP_MS = 1_000;
/** The last jumps are remembered, this many. */
const MOST_JUMPS = 64;

const SYSTEM: TimeSource = { ...systemClock, passed: () => performance.now() };

/**
 * The clock of a process, which never goes back. It starts at the machine's time and advances by the time that has really passed.
 * When the machine's clock is set back, this one stays ahead until the next start. Where it `follows`, it takes a jump forward
 * over, and remembers it, so that ages measured from before can leave it out (`skipped`).
 */
export class SteadyClock implements Clock {
  readonly #source: TimeSource;
  readonly #follows: boolean;
  readonly #told: (ms: number) => void;
  readonly #jumps: { readonly at: number; readonly ms: number }[] = [];
  #now: number;
  #passed: number;
  #behind = 0;

  constructor({ source = SYSTEM, follows, told = () => undefined }: SteadyClockOptions) {
    this.#source = source;
    this.#follows = follows;
    this.#told = told;
    this.#now = source.now();
    this.#passed = source.passed();
  }

  now(): number {
    const passed = this.#source.passed();
    this.#now += Math.max(0, passed - this.#passed);
    this.#passed = passed;
    if (this.#follows) this.#follow(this.#source.now() - this.#now);
    return Math.floor(this.#now);
  }

  after(ms: number, run: () => void): () => void {
    return this.#source.after(ms, run);
  }

  skipped(at: number): number {
    return this.#jumps.reduce((sum, jump) => (jump.at >= at ? sum + jump.ms : sum), 0);
  }

  #follow(off: number): void {
    if (off >= JUMP_MS) {
      if (this.#jumps.length === MOST_JUMPS) this.#jumps.shift();
      this.#jumps.push({ at: this.#now, ms: off });
      this.#now += off;
      this.#told(Math.round(off));
    }
    const behind = off <= -JUMP_MS ? Math.round(off) : 0;
    if (Math.abs(behind - this.#behind) < JUMP_MS) return;
    this.#behind = behind;
    this.#told(behind);
  }
}
