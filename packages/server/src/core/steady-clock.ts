import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';

/** What a machine knows of time, in milliseconds. */
export interface TimeSource extends Clock {
  /** Time that has passed since some moment; it never jumps. */
  passed(): number;
}

export interface SteadyClockOptions {
  readonly source?: TimeSource;
  /**
   * Whether the clock goes to the machine's time where that was set forward, or the machine slept. Where another clock sets
   * this one right, it goes on by what has passed alone.
   */
  readonly follows: boolean;
  /** Is told how far the machine's clock is from this one, when that changes: negative where it was set back, 0 when it is right. */
  readonly told?: (ms: number) => void;
}

/** Less is no jump: a clock that is kept right is moved by milliseconds. */
const JUMP_MS = 1_000;
/** So many jumps are remembered. */
const MOST_JUMPS = 64;

const SYSTEM: TimeSource = { ...systemClock, passed: () => performance.now() };

/**
 * The time of a process, which never goes back: it begins with the machine's, and goes on by what has truly passed. When the
 * machine's clock is set back, this one stays ahead of it until the next start. A jump forward is taken where it `follows`, and
 * remembered, so that what is measured from before it can leave it out (`skipped`).
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
