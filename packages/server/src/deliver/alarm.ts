import type { Clock } from '../core/clock.ts';

/** One timer for everything that only time brings: it rings at the earliest of the times that it was set to. */
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

  /** Has it ring at `time`, if it does not ring earlier; both are milliseconds since the epoch. A clock may have been set forward since the last one. */
  set(now: number, time: number): void {
    if (this.#stopped || (time >= this.#at && this.#at > now)) return;
    this.#cancel?.();
    this.#at = time;
    this.#cancel = this.#clock.after(time - now, () => {
      this.#at = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }
}
