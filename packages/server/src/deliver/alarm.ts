import type { Clock } from '../core/clock.ts';

/** One timer for several times: it rings at the earliest time it was set to. */
export class Alarm {
  readonly #clock: Clock;
  readonly #ring: () => void;
  #at = Number.POSITIVE_INFINITY;
  #cancel: (() => void) | null = null;
  #stopped = false;

  constructor(clock: Clock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Makes it ring at `time`, unless it rings earlier; both are milliseconds since the epoch. `now` may have jumped forward since the last call. */
  set(now: number, time: number): void {
    if (this.#stopped || (time >= this.#at && this.#at > now)) return;
    this.#cancel?.();
    this.#at = time;
    this.#cancel = this.#clock.after(time - now, () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  /** Makes it ring in so many milliseconds, unless it rings earlier; answers that time. */
  setIn(ms: number): number {
    const now = this.#clock.now();
    this.set(now, now + ms);
    return now + ms;
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}
