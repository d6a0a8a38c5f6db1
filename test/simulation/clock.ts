import type { Clock } from '../../packages/server/src/core/clock.ts';

interface Timer {
  readonly at: number;
  /** Timers of one moment run in the order in which they were set. */
  readonly order: number;
  readonly run: () => void;
  cancelled: boolean;
}

/** Time that passes only from timer to timer: hours in milliseconds, and in the same order every time. */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  /** A binary heap, the earliest timer first. */
  readonly #timers: Timer[] = [];

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer: Timer = { at: this.#now + Math.max(0, ms), order: this.#order++, run, cancelled: false };
    this.#push(timer);
    return () => {
      timer.cancelled = true;
    };
  }

  /** Goes to the next timer, runs it and everything that follows from it at that moment; false when there is none by `end`. */
  async step(end: number): Promise<boolean> {
    while (this.#timers[0]?.cancelled) this.#pop();
    const next = this.#timers[0];
    if (!next || next.at > end) return false;
    this.#pop();
    this.#now = next.at;
    next.run();
    await settled();
    return true;
  }

  /** Runs everything up to `end`, and goes there. */
  async advance(end: number): Promise<void> {
    await settled();
    while (await this.step(end));
    this.#now = Math.max(this.#now, end);
  }

  #push(timer: Timer): void {
    const timers = this.#timers;
    let i = timers.push(timer) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      const above = timers[parent];
      if (!above || before(above, timer)) break;
      timers[i] = above;
      i = parent;
    }
    timers[i] = timer;
  }

  #pop(): void {
    const timers = this.#timers;
    const last = timers.pop();
    if (!last || timers.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      const [left, right] = [timers[child], timers[child + 1]];
      if (!left) break;
      if (right && before(right, left)) child++;
      const smaller = timers[child];
      if (!smaller || before(last, smaller)) break;
      timers[i] = smaller;
      i = child;
    }
    timers[i] = last;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Resolves when no promise has anything left to do: Node runs a tick only when the queue of microtasks is empty. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

/** The clock of one life of the process: when that ends, its timers end with it. */
export class MortalClock implements Clock {
  readonly #clock: Clock;
  readonly #pending = new Set<() => void>();
  #dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  after(ms: number, run: () => void): () => void {
    if (this.#dead) return () => undefined;
    const stop = this.#clock.after(ms, () => {
      this.#pending.delete(cancel);
      run();
    });
    const cancel = (): void => {
      this.#pending.delete(cancel);
      stop();
    };
    this.#pending.add(cancel);
    return cancel;
  }

  skipped(at: number): number {
    return this.#clock.skipped?.(at) ?? 0;
  }

  /** Timers that were set and not cancelled. */
  get pending(): number {
    return this.#pending.size;
  }

  kill(): void {
    this.#dead = true;
    for (const cancel of [...this.#pending]) cancel();
  }
}
